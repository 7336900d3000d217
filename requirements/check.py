"""Say plainly what the machine lacks before pip or the compiler says it obscurely. Runs on any Python 3."""

import os
import shutil
import sys
import sysconfig

missing = []
if sys.version_info < (3, 11):
    found = ".".join(map(str, sys.version_info[:3]))
    missing.append("Python 3.11 or newer; this is %s (choose another: make PYTHON=python3.12 ...)" % found)
try:
    import ensurepip  # noqa: F401
    import venv  # noqa: F401
except ImportError:
    missing.append("Python's venv module (Debian: apt-get install python3-venv)")
if not os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h")):
    missing.append("Python's C headers (Debian: apt-get install python3-dev)")
if not any(shutil.which(compiler) for compiler in (os.environ.get("CC", "cc").split()[0], "gcc", "clang")):
    missing.append("a C compiler (Debian: apt-get install gcc libc6-dev)")
if missing:
    sys.exit("Cannot build Sirenia on this machine. Please install:\n" + "".join("  - %s\n" % m for m in missing))
