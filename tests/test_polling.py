"""How gRPC waits for the network: `advisor.polling`."""

import os
import subprocess
import sys

import pytest

from advisor import polling

pytestmark = pytest.mark.apart


@pytest.mark.parametrize(
    ("version", "said", "expected"),
    [
        ("1.85.3", None, polling.WITHOUT_ENGINE),
        ("1.80.0rc1", None, polling.WITHOUT_ENGINE),
        ("1.85.3", "", ""),
        ("1.85.3", "event_engine_client", "event_engine_client"),
        ("1.75.1", None, None),
        ("1.86.0", None, None),
        ("2.0.0", None, None),
        ("unknown", None, None),
    ],
)
def test_choice(monkeypatch: pytest.MonkeyPatch, version: str, said: str | None, expected: str | None) -> None:
    monkeypatch.setattr(polling, "version", lambda _: version)
    monkeypatch.setenv(polling.VARIABLE, "")  # restored at the end, whatever `choose` does
    monkeypatch.delenv(polling.VARIABLE)
    if said is not None:
        monkeypatch.setenv(polling.VARIABLE, said)
    polling.choose()
    assert os.environ.get(polling.VARIABLE) == expected


def test_the_command_chooses_before_grpc_is_loaded() -> None:
    program = f"""if True:
        import os, sys
        class Watch:
            def find_spec(self, name, path=None, target=None):
                if name == "grpc":
                    print(os.environ.get("{polling.VARIABLE}"))
                    sys.meta_path.remove(self)
        sys.meta_path.insert(0, Watch())
        import advisor.cli
        import grpc
        grpc.insecure_channel("127.0.0.1:1").close()
    """
    environment = {name: text for name, text in os.environ.items() if name != polling.VARIABLE}
    ended = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False
    )
    # On stderr grpc would complain of names that it does not know.
    told = polling.WITHOUT_ENGINE if polling.applies() else None
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, f"{told}\n", "")
