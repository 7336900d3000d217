"""What the machine, or the control group that this process runs in, has to give."""

from pathlib import Path


def machine_memory(root: Path = Path("/")) -> int:
    """Return the memory in bytes that this process may use: the machine's, or its control group's where that is less.

    4 GiB where the system does not say.
    """
    found = [_number(root / "sys/fs/cgroup/memory.max"), _number(root / "sys/fs/cgroup/memory/memory.limit_in_bytes")]
    try:
        lines = (root / "proc/meminfo").read_text(encoding="ascii").splitlines()
    except (OSError, UnicodeDecodeError):
        lines = []
    found += [int(line.split()[1]) << 10 for line in lines if line.startswith("MemTotal:")]
    return min((size for size in found if size), default=4 << 30)


def _number(path: Path) -> int:
    """The number in a file; 0 where there is none, as for "max"."""
    try:
        return int(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return 0
