"""Generate advisor/v1 from the .proto files: `python proto/generate.py OUT` writes OUT/advisor/v1/*.

The versions of the two generators are pinned in pyproject.toml (group proto), since their output depends on them.
"""

import sys
from importlib.resources import files
from pathlib import Path

from grpc_tools import protoc

PROTO = Path(__file__).resolve().parent


def generate(out: Path) -> None:
    """Write messages (.py, .pyi) for every file and stubs (_grpc.py, _grpc.pyi) for those that declare a service."""
    sources = sorted(PROTO.rglob("*.proto"))
    services = [path for path in sources if "\nservice " in path.read_text(encoding="utf-8")]
    include = [f"--proto_path={PROTO}", f"--proto_path={files('grpc_tools') / '_proto'}"]
    mypy_grpc = Path(sys.executable).with_name("protoc-gen-mypy_grpc")
    runs = [
        ([f"--python_out={out}", f"--pyi_out={out}"], sources),
        ([f"--grpc_python_out={out}"], services),
        ([f"--plugin=protoc-gen-mypy_grpc={mypy_grpc}", f"--mypy_grpc_out=quiet:{out}"], services),
    ]
    for outputs, paths in runs:
        if protoc.main(["protoc", *include, *outputs, *map(str, paths)]) != 0:
            raise SystemExit(f"protoc failed for {outputs}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    generate(Path(sys.argv[1]))
