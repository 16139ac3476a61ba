"""Signals of processes that tests start."""

import signal


def hear_interrupts() -> None:
    """For `preexec_fn`: a test run in the background would hand down "ignore"."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
