"""A table of users that is text: its encoding, what separates its cells, how its decimals are written, and its rows."""

import codecs
import csv
import io
import re
from itertools import islice

from hdp.users.names import spreadsheet_name
from hdp.users.numerals import sign_of
from hdp.users.reading import Reading

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs"}
_OTHERS = {"|": "|", ":": "colons", " ": "spaces"}  # which no table of users has, and which are named
_TOLD = re.compile(rf"\s*sep=([{''.join(SEPARATORS)}]?)\s*", re.IGNORECASE)  # as spreadsheets write it
_COMMENT = re.compile(rf"#(?![{''.join(SEPARATORS)}])")  # with a separator after it, it is the name of a column
_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_WORKBOOKS = (b"PK\3\4", b"\xd0\xcf\x11\xe0")  # with which they begin, new ones and old
_ROWS = 4_000  # that are in memory as text at a time


class TextTable:
    """The users of a text, a block of rows at a time; after the first, what is assumed is in ``notes``."""

    def __init__(self, data: bytes, name: str, reading: Reading) -> None:
        self.data, self.name, self.asked, self.reading = data, name, reading, reading
        self.decimal: str | None = reading.decimal
        self.header: list[str] = []
        self.notes: dict[str, str] = {}  # by what they are about

    def blocks(self):
        """Yield the number of the first row and the cells of each column, some thousand rows at a time."""
        with self._opened() as file:
            reader, places = self._begun(file)
            if self.decimal is None:
                self.decimal = "." if self._separator == "," else self._decimal()
            yield from self._blocks(reader, places)

    def _opened(self):
        """The file as text."""
        start = self.data[:4]
        if not start or start in _WORKBOOKS:
            got = "a workbook, which a spreadsheet can save as CSV" if start else "an empty file"
            raise ValueError(f"file must be a table in text, Parquet or Arrow, got {self.name!r}, {got}")
        if start.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)) or b"\0" in start[:2]:
            raise ValueError(f"file must be in UTF-8, or in UTF-16 with a byte order mark, got {self.name!r}")
        if start.startswith(_MARKS):
            self.notes["encoding"] = "in UTF-16"
            return io.TextIOWrapper(io.BytesIO(self.data), encoding="utf-16", errors="replace", newline="")
        return io.TextIOWrapper(io.BytesIO(self.data), encoding="utf-8-sig", errors="surrogateescape", newline="")

    def _begun(self, file):
        """A reader of the rows below the header, and where each column stands in them."""
        lines, separator, comments = _record(file), None, []
        while lines[:1] and ((told := _TOLD.fullmatch(lines[0])) or _COMMENT.match(lines[0])):
            separator = told[1] if told else separator
            comments += [] if told else lines
            lines = _record(file)
        if comments:
            self.notes["comments"] = f"{len(comments)} line{'s' if len(comments) > 1 else ''} above the header left out"
        signs = [separator] if separator else [sign for sign in SEPARATORS if any(sign in line for line in lines)]
        headers = {sign: self._cells(lines, sign) for sign in signs or [","]}
        self._separator = max(headers, key=lambda sign: (self.asked.known(headers[sign]), len(headers[sign])))
        self.header = headers[self._separator]
        try:
            self.reading, places = self.asked.resolved(self.header)
        except ValueError as wrong:
            raise ValueError(f"{wrong}{self._unlucky(lines, file, comments)}") from None
        if self._separator != ",":
            self.notes["separator"] = f"separated by {SEPARATORS[self._separator]}"
        return csv.reader(file, delimiter=self._separator, strict=True), places

    def _unlucky(self, lines, file, comments):
        """What may have been meant by a header that is none."""
        if re.search("[\udc80-\udcff]", "".join(self.header)):
            return "; the header is not in UTF-8: save the file as CSV UTF-8"
        for sign, name in _OTHERS.items():
            if len(self.header) < 2 and self.asked.known(self._cells(lines, sign)) > 1:
                return f"; its cells seem to be separated by {name}: use commas, semicolons or tabs"
        if any(self._names([line.lstrip("# ")]) for line in comments):
            return "; a line above it does, but for the sign # before it: remove that"
        for below in range(1, 6):
            if self._names(_record(file)):
                return f"; row {below} does: remove what is above it"
        return ""

    def _names(self, lines):
        """Whether these lines look like the header."""
        return max(self.asked.known(self._cells(lines, sign)) for sign in SEPARATORS) > 1

    def _cells(self, lines, separator):
        try:
            return next(csv.reader(lines, delimiter=separator), [])
        except csv.Error as error:
            raise ValueError(f"column 1, row 0: {error}") from None

    def _blocks(self, reader, places):
        width, count, held = len(self.header), 0, []
        names = [role if role != "value" else (column,) for role, column in self.reading.columns]
        stated = {role: self.reading.stated(role) for role in ("trust", "records") if self.reading.stated(role)}
        for first, rows in self._segments(reader):
            count = count if held else first - 1
            if set(map(len, rows)) != {width}:
                rows = [self._complete(row, cells) for row, cells in enumerate(rows, start=count + len(held) + 1)]
            cells = list(zip(*rows, strict=True))
            if held or "" in cells[places[0]] or None in cells[places[0]]:
                rows, held = _split(held + rows)
                cells = list(zip(*rows, strict=True))
            if rows:
                found = {name: cells[place] for name, place in zip(names, places, strict=True)}
                found |= {role: (text,) * len(rows) for role, text in stated.items()}
                if any(name and name[0] == "'" for name in found.get("user", ())):
                    found["user"] = tuple(name and spreadsheet_name(name) for name in found["user"])
                yield count + 1, found
                count += len(rows)
        if held:
            self.notes["end"] = f"{len(held)} row{'s' if len(held) > 1 else ''} at the end, empty, left out"

    def _segments(self, reader):
        """Yield the number of the first row, and some thousand rows with no empty line between them."""
        number, lines = 0, reader.line_num
        while True:
            rows = []
            try:
                rows.extend(islice(reader, _ROWS))
            except csv.Error as error:
                raise ValueError(_broken(number + len(rows) + 1, str(error))) from None
            if not rows:
                return
            if reader.line_num - lines > len(rows):  # some cell has several lines
                self._refuse_swallowed(number + 1, rows)
            start, gaps = 0, [i for i, row in enumerate(rows) if not row] if [] in rows else []
            for end in (*gaps, len(rows)):
                if end > start:
                    yield number + start + 1, rows[start:end]
                start = max(start, end + 1)
            number, lines = number + len(rows), reader.line_num

    def _refuse_swallowed(self, first, rows):
        """Raise ValueError where a cell in quotes has taken whole rows: they would be nobody's."""
        most = max(len(self.header) - 1, 1)
        for place, row in enumerate(rows, start=first):
            lines = (line for cell in row if "\n" in cell for line in cell.split("\n"))
            if any(line.count(self._separator) >= most for line in lines):
                lost = "is a quotation mark missing?"
                raise ValueError(f"row {place}: a cell in quotes must hold no other rows; {lost}")

    def _complete(self, number, row):
        """The row, with None for cells that it lacks, and without empty ones that have no header."""
        width = len(self.header)
        if len(row) > width and not any(cell.strip() for cell in row[width:]):
            self.notes["columns"] = "empty cells beyond the header left out"
            return row[:width]
        if len(row) > width:
            quotes = "; a cell with a comma must stand in quotes" if self._separator == "," else ""
            raise ValueError(f"row {number}: must have no more cells than the header, {width}, got {len(row)}{quotes}")
        return row + [None] * (width - len(row))

    def _decimal(self):
        """The sign before decimals, of which what is public leaves no doubt, or ValueError; empty where none is there.

        Values do not decide it: whether a table is refused must not depend on how somebody's value is written.
        """
        option = self.asked.option
        with self._opened() as file:
            sure, doubtful = _signs(self._blocks(*self._begun(file)), self.reading)
        settled = f"{option('decimal', ',')} or {option('decimal', '.')} says which sign is before decimals"
        doubted = [place for sign, place in doubtful.items() if sign not in sure]
        if doubted or len(sure) > 1:
            row, column = max(sure.values()) if len(sure) > 1 else min(doubted)
            raise ValueError(f"column {column}, row {row}: must leave no doubt about decimals and thousands; {settled}")
        if "," in sure:
            self.notes["decimal"] = "with decimal commas"
        elif not sure and not self.asked.value and self.asked.place != "python":
            self.notes["decimal"] = f"values in whole numbers, or {settled}"
        return next(iter(sure), "")


def _broken(row, error):
    """What is wrong with the quotation marks of a row, or with a cell that is too long."""
    if error.startswith("unexpected end"):
        return f"row {row}: a quotation mark is opened there, and not closed before the end of the file"
    if "expected after" in error:
        return f"row {row}: a quotation mark must end its cell, and within quotes be written twice"
    return f"row {row}: {error}; is a quotation mark missing?"


def _record(file):
    """The lines of the first record, which is one unless a quoted cell goes on."""
    lines, quotes, size = [], 0, 0
    for line in islice(file, 1_000):
        lines.append(line)
        quotes, size = quotes + line.count('"'), size + len(line)
        if quotes % 2 == 0 or _COMMENT.match(lines[0]) or size > csv.field_size_limit():
            break
    return lines


def _split(rows):
    """The rows up to the last that is not empty, and the others."""
    end = len(rows)
    while end and not any(cell and cell.strip() for cell in rows[end - 1]):
        end -= 1
    return rows[:end], rows[end:]


def _signs(blocks, reading):
    """By decimal sign the place of a first public cell without doubt, and of one with doubt."""
    found = {}, {}
    for first, cells in blocks:
        numeric = {reading.records: cells["records"]} | ({} if reading.budgets else {reading.epsilon: cells["epsilon"]})
        for column, texts in numeric.items():
            known = {(sign, bool(doubt)) for doubt in (0, 1) for sign in found[doubt]}
            if set(map(sign_of, set(texts))) - known - {None}:
                for row, sign in enumerate(map(sign_of, texts), start=first):
                    if sign:
                        found[sign[1]].setdefault(sign[0], (row, column))
    return found
