"""Makes the wheel that pip installs (PEP 517, PEP 427): the package's files and what pip wants to know of them."""

from __future__ import annotations

import base64
import hashlib
import re
import zipfile
from pathlib import Path

_root = Path(__file__).parent


def build_wheel(wheel_directory: str, config_settings: object = None, metadata_directory: str | None = None) -> str:
    project = (_root / "pyproject.toml").read_text("utf-8")
    said = dict(re.findall(r'^([a-z-]+) = "(.+)"$', project, re.M))
    version, summary, python = said["version"], said["description"], said["requires-python"]
    name = f"ripper_checkout-{version}"
    metadata = [
        "Metadata-Version: 2.1",
        "Name: ripper-checkout",
        f"Version: {version}",
        f"Summary: {summary}",
        f"Requires-Python: {python}",
        "Description-Content-Type: text/markdown",
        "",
        (_root / "README.md").read_text("utf-8"),
    ]
    about = ["Wheel-Version: 1.0", "Generator: ripper", "Root-Is-Purelib: true", "Tag: py3-none-any", ""]
    sources = sorted(each for each in (_root / "ripper_checkout").iterdir() if each.suffix in (".py", ".typed"))
    files = {f"ripper_checkout/{each.name}": each.read_bytes() for each in sources}
    files[f"{name}.dist-info/METADATA"] = "\n".join(metadata).encode()
    files[f"{name}.dist-info/WHEEL"] = "\n".join(about).encode()
    record = f"{name}.dist-info/RECORD"
    rows = [f"{path},sha256={_hash(content)},{len(content)}\n" for path, content in files.items()]
    files[record] = "".join([*rows, f"{record},,\n"]).encode()
    wheel = f"{name}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return wheel


def _hash(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
