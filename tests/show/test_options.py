"""How times, ages and sizes are written, and read."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import click
import pytest

from otel_prov.show.options import age, since, size, until
from otel_prov.show.times import iso, lasted, local, seconds, short


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("90s", timedelta(seconds=90)),
        ("90m", timedelta(minutes=90)),
        ("2h", timedelta(hours=2)),
        (" 30 d ", timedelta(days=30)),
        ("1w", timedelta(days=7)),
    ],
)
def test_an_age_is_a_number_and_a_unit(text: str, length: timedelta) -> None:
    assert age(text) == length


@pytest.mark.parametrize("text", ["", "d", "30", "-1d", "1.5h", "3 months", "٣d", "9" * 20 + "d"])
def test_anything_else_is_no_age(text: str) -> None:
    with pytest.raises(click.BadParameter, match="write it like"):
        age(text)


def test_a_moment_is_an_age_before_now_or_an_iso_time() -> None:
    now = datetime.now(timezone.utc)
    assert timedelta(0) <= since("2h") - (now - timedelta(hours=2)) < timedelta(minutes=1)
    assert since("2026-11-02T14:00Z") == datetime(2026, 11, 2, 14, tzinfo=timezone.utc)
    assert since("2026-11-02T14:00:05.500+02:00") == datetime(2026, 11, 2, 12, 0, 5, 500000, timezone.utc)
    assert since("2026-11-02 14:00") == datetime(2026, 11, 2, 14).astimezone()


def test_a_date_begins_at_its_first_moment_and_ends_before_the_next_day() -> None:
    assert since("2026-11-02") == datetime(2026, 11, 2).astimezone()
    assert until("2026-11-02") == datetime(2026, 11, 3).astimezone()
    assert until("2026-11-02T00:00") == datetime(2026, 11, 2).astimezone()


@pytest.mark.parametrize("text", ["", "now", "2026-13-01", "14:00", "9999999999w", "0001-01-01"])
def test_what_is_no_moment_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter, match="write it like"):
        since(text)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0),
        ("512B", 512),
        ("1kB", 1000),
        ("1.5MB", 1_500_000),
        ("1GB", 10**9),
        ("2GiB", 2 * 2**30),
        ("1 t", 10**12),
    ],
)
def test_a_size_is_a_number_and_a_unit(text: str, number: int) -> None:
    assert size(text) == number


@pytest.mark.parametrize("text", ["", "GB", "-1GB", "1PB", "1iB", "one", "9" * 400 + "TB"])
def test_anything_else_is_no_size(text: str) -> None:
    with pytest.raises(click.BadParameter, match="write it like"):
        size(text)


@pytest.mark.parametrize(
    ("length", "text"),
    [
        (None, ""),
        (0, "0ms"),
        (0.35, "350ms"),
        (0.9996, "1.0s"),
        (59.94, "59.9s"),
        (59.96, "1m00s"),
        (125, "2m05s"),
        (3599.6, "1h00m"),
        (90061, "25h01m"),
    ],
)
def test_a_length_of_time_is_short(length: float | None, text: str) -> None:
    assert lasted(length) == text


def test_times_are_utc_for_programs_and_local_for_people() -> None:
    moment = datetime(2026, 11, 2, 14, 3, 5, tzinfo=timezone(timedelta(hours=1)))
    assert iso(moment) == "2026-11-02T13:03:05.000000Z"
    assert local(moment) == f"{moment.astimezone():%Y-%m-%d %H:%M:%S}"
    assert (iso(None), local(None), short(None), seconds(None, moment)) == (None, "", "", None)


def test_in_little_room_today_is_a_time_and_another_day_a_date() -> None:
    now = datetime.now().astimezone()
    assert short(now) == f"{now:%H:%M:%S}"
    assert short(now - timedelta(days=3)) == f"{now - timedelta(days=3):%Y-%m-%d}"
