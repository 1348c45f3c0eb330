"""Signs each file of the release with gpg: with the key SLIDEWISE_SIGNING_KEY, or with a throw-away key."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from staging import STAGING, SUMS, artifacts

KEY = STAGING / "signing-key.asc"
"""The public key, for whoever verifies the signatures."""


def gpg(home: str | None, *arguments: str) -> None:
    environment = {**os.environ, "GNUPGHOME": home} if home else None
    subprocess.run(["gpg", "--batch", "--yes", "--quiet", *arguments], check=True, env=environment)


def sign(home: str | None, key: str) -> None:
    passphrase = os.environ.get("SLIDEWISE_SIGNING_PASSPHRASE", "")
    for file in [*artifacts(), SUMS]:
        gpg(
            home,
            *("--pinentry-mode", "loopback", "--passphrase", passphrase, "--local-user", key),
            *("--armor", "--detach-sign", "--output", f"{file}.asc", str(file)),
        )
    gpg(home, "--armor", "--output", str(KEY), "--export", key)


def stop_agent(home: str) -> None:
    subprocess.run(["gpgconf", "--kill", "gpg-agent"], check=False, env={**os.environ, "GNUPGHOME": home})
    shutil.rmtree(home, ignore_errors=True)


def main() -> None:
    key = os.environ.get("SLIDEWISE_SIGNING_KEY", "")
    if key:
        sign(None, key)
    elif "--dry-run" in sys.argv:
        home = tempfile.mkdtemp()
        Path(home).chmod(0o700)
        try:
            name = "Slidewise dry run"
            gpg(home, "--passphrase", "", "--quick-generate-key", name, "ed25519", "sign", "1d")
            sign(home, name)
        finally:
            stop_agent(home)
    else:
        raise SystemExit("SLIDEWISE_SIGNING_KEY names no key: set it to the fingerprint of the release key")
    print(f"{len(artifacts()) + 1} signatures")


if __name__ == "__main__":
    main()
