"""A destination for tests: ``probe:///folder`` appends parcels to a file there, and does what other files tell it to.

``away``: it can't be reached. ``refuse``: it never takes what mentions the text in this file. ``abort``: it aborts the
process once, when half of a batch is written. ``fatal``: it aborts the process at whatever mentions the text in this
file; ``fault``: it fails there as no destination should. ``stop``: it stands still there, says so by making
``standing``, and goes on when ``stop`` is removed.
"""

import json
import os
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from otel_prov.deliver.destination import Parcel, Unreachable
from otel_prov.describe.quads import nquads


class Probe:
    def __init__(self, url: str, store: str) -> None:
        self.folder = Path(urlsplit(url).path)
        self.store = store

    def send(self, parcels: Iterable[Parcel]) -> list[str | None]:
        return self._send(list(parcels))

    def _send(self, parcels: Sequence[Parcel]) -> list[str | None]:
        if (self.folder / "away").exists():
            raise Unreachable("nobody there")
        refuse = self.folder / "refuse"
        text = refuse.read_text() if refuse.exists() else "\0"
        for name in ("fatal", "fault"):
            if (self.folder / name).exists():
                self._fail_at(parcels, name)
        half = len(parcels) // 2
        answers = self._write(parcels[:half], text)
        if (self.folder / "abort").exists():
            (self.folder / "abort").unlink()
            os.abort()
        if (self.folder / "stop").exists():
            (self.folder / "standing").touch()
            while (self.folder / "stop").exists():
                time.sleep(0.005)
        return answers + self._write(parcels[half:], text)

    def _fail_at(self, parcels: Sequence[Parcel], name: str) -> None:
        text = (self.folder / name).read_text()
        if any(text in nquads(parcel.quads) for parcel in parcels):
            if name == "fatal":
                os.abort()
            raise TypeError("this is a bug")

    def _write(self, parcels: Sequence[Parcel], refused: str) -> list[str | None]:
        answers: list[str | None] = []
        with (self.folder / "parcels.jsonl").open("a") as file:
            for parcel in parcels:
                text = nquads(parcel.quads)
                answers.append("it is refused" if refused in text else None)
                if refused not in text:
                    about = [parcel.sequence, parcel.session, parcel.subject, parcel.collection, text, self.store]
                    file.write(json.dumps(about) + "\n")
        return answers

    def close(self) -> None:
        (self.folder / "closed").touch()


def failing(url: str, store: str) -> Probe:
    raise ValueError("OTEL_EXPORTER_PROBE=x: no such thing; give another")
