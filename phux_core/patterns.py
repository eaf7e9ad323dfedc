"""A caller's pattern, judged alike wherever it is looked for. Import-light."""

from phux_core.errors import BadRequestError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

LONGEST = 10_000
"""Characters a pattern may have."""


def compile_pattern(pattern: str) -> "re.Pattern[str]":
    """Compile a pattern.

    Raises:
        BadRequestError: It is none.
    """
    import re

    if not isinstance(pattern, str):
        raise BadRequestError(f"the pattern is {pattern!r:.80}", remedy="give a text")
    if len(pattern) > LONGEST:
        raise BadRequestError(f"the pattern has {len(pattern)} characters", remedy=f"give at most {LONGEST}")
    try:
        compiled = re.compile(pattern)
        compiled.search("")  # some are only too large when they are used
    except (re.error, OverflowError, RecursionError) as error:
        raise BadRequestError(
            f"the pattern {pattern!r:.80} cannot be read: {error}", remedy="write it as Python's re module takes it"
        ) from None
    return compiled
