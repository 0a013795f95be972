"""Who the users are: a table, read once, or arrays."""

from hdp.users.people import TRUST, Users
from hdp.users.tables import read_users

__all__ = ["TRUST", "Users", "read_users"]
