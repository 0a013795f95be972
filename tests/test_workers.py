"""Tests that share an open page or a long build must run in one worker, or both workers do the work."""

import pytest


@pytest.mark.xdist_group("together")
def test_groups_are_kept_together(request):
    """xdist writes the group behind the test's name, where the scheduler looks for it."""
    if getattr(request.config.option, "loadgroup", False):  # in a worker, and only if it was asked for
        assert request.node.nodeid.endswith("@together")
