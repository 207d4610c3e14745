"""What is known of a sound or video: length, tracks, chapters, tags, place, subtitles."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from av_made import FPS, ffmpeg, second_video

from deskgym.tools import ff, subtitles
from deskgym.tools.media import probe
from deskgym.tools.registry import info, read_text, sniff
from deskgym.tools.result import Segment, ToolError

SRT = """1
00:00:00,500 --> 00:00:01,500
<i>Mind the</i> gap,
please

2
00:00:02,000 --> 00:00:03,250
مرحبا – 你好
"""


def refused(path: Path) -> ToolError:
    with pytest.raises(ToolError) as caught:
        read_text(path)
    return caught.value


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("media")
    return second_video(folder / "a.mp4", 4, "-c:v", "libx264", "-c:a", "aac")


@pytest.fixture(scope="module")
def tone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("media") / "tone.wav"
    ffmpeg("-f", "lavfi", "-i", "sine=440:d=5", "-ac", "2", path)
    return path


@pytest.mark.parametrize(
    ("name", "options", "mime", "codec"),
    [
        ("a.mp3", "-c:a libmp3lame -b:a 64k", "audio/mpeg", "mp3"),
        ("a.mp3", "-c:a libmp3lame -q:a 4 -write_xing 0 -id3v2_version 0", "audio/mpeg", "mp3"),
        ("a.m4a", "-c:a aac", "audio/mp4", "aac"),
        ("a.m4a", "-c:a aac -f mp4", "audio/mp4", "aac"),
        ("a.aac", "-c:a aac -f adts", "audio/aac", "aac"),
        ("a.wav", "-c:a pcm_s24le", "audio/wav", "pcm_s24le"),
        ("a.flac", "-c:a flac", "audio/flac", "flac"),
        ("a.ogg", "-c:a libvorbis", "audio/ogg", "vorbis"),
        ("a.opus", "-c:a libopus", "audio/ogg", "opus"),
        ("a.mka", "-c:a libvorbis", "audio/x-matroska", "vorbis"),
        ("a.aiff", "", "audio/aiff", "pcm_s16be"),
        ("a.wma", "-c:a wmav2 -f asf", "video/x-ms-asf", "wmav2"),
    ],
)
def test_sounds_are_described(
    tmp_path: Path, tone: Path, name: str, options: str, mime: str, codec: str
) -> None:
    path = tmp_path / name
    ffmpeg("-i", tone, *options.split(), path)
    found = info(path)
    assert (found["mime"], found["modality"]) == (mime, "audio")
    assert found["duration_s"] == pytest.approx(5.0, abs=0.15)
    assert found["duration"] == found["duration_s"]
    [track] = probe(path).tracks
    assert (track["type"], track["codec"], track["channels"]) == ("audio", codec, 2)
    assert track["sample_rate"] in (44_100, 48_000)
    assert "problem" not in found


@pytest.mark.parametrize(
    ("name", "options", "mime", "codec"),
    [
        ("a.mp4", "-c copy", "video/mp4", "h264"),
        ("a.mov", "-c copy", "video/quicktime", "h264"),
        ("a.mkv", "-c copy", "video/x-matroska", "h264"),
        ("a.avi", "-c:v mpeg4 -c:a libmp3lame", "video/x-msvideo", "mpeg4"),
        ("a.webm", "-c:v libvpx -c:a libopus", "video/webm", "vp8"),
        ("a.ts", "-c copy -f mpegts", "video/mp2t", "h264"),
        ("a.mpg", "-r 25 -c:v mpeg2video -c:a mp2 -f vob", "video/mpeg", "mpeg2video"),
    ],
)
def test_videos_are_described(
    tmp_path: Path, video: Path, name: str, options: str, mime: str, codec: str
) -> None:
    path = tmp_path / name
    ffmpeg("-i", video, *options.split(), path)
    found = info(path)
    assert (found["mime"], found["width"], found["height"]) == (mime, 160, 90)
    assert found["duration_s"] == pytest.approx(4.0, abs=0.2)
    track = probe(path).track("video")
    assert track is not None
    assert track["codec"] == codec
    if not name.endswith(".mpg"):
        assert track["fps"] == pytest.approx(FPS, abs=0.3)
    assert probe(path).track("audio") is not None


def test_a_phones_video_tells_time_place_and_rotation(tmp_path: Path, video: Path) -> None:
    path = tmp_path / "IMG_1.mov"
    ffmpeg(
        *("-i", video, "-c", "copy", "-movflags", "use_metadata_tags"),
        *("-metadata", "com.apple.quicktime.location.ISO6709=-33.8568+151.2153+012.000/"),
        *("-metadata", "com.apple.quicktime.creationdate=2024-05-04T18:30:00+1000"),
        *("-metadata", "com.apple.quicktime.model=iPhone 15", "-metadata:s:v", "rotate=270"),
        *("-metadata:s:a", "language=ger"),
        path,
    )
    found = info(path)
    assert (found["latitude"], found["longitude"]) == (-33.8568, 151.2153)
    assert found["created"] == "2024-05-04T18:30:00+1000"
    assert found["tags"] == {"com.apple.quicktime.model": "iPhone 15"}
    assert (found["width"], found["height"]) == (90, 160)
    picture, sound = probe(path).tracks
    assert (picture["rotation"], picture["width"]) == (90, 160)
    assert sound["language"] == "ger"


def test_tags_chapters_and_a_cover_are_told(tmp_path: Path, tone: Path) -> None:
    (tmp_path / "meta").write_text(
        ";FFMETADATA1\ntitle=Lecture 3\nartist=Ada\n"
        "[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=2000\ntitle=Opening\n"
        "[CHAPTER]\nTIMEBASE=1/1000\nSTART=2000\nEND=5000\ntitle=Questions\n"
    )
    ffmpeg("-f", "lavfi", "-i", "color=red:s=64x64:d=1", "-frames:v", "1", tmp_path / "c.png")
    path = tmp_path / "a.mp3"
    ffmpeg(
        *("-i", tone, "-i", tmp_path / "meta", "-i", tmp_path / "c.png", "-map_metadata", "1"),
        *("-map", "0:a", "-map", "2:v", "-c:v", "copy", "-disposition:v", "attached_pic"),
        path,
    )
    found = info(path)
    assert found["tags"] == {"artist": "Ada", "title": "Lecture 3"}
    assert found["chapters"] == [
        {"start_s": 0.0, "end_s": 2.0, "title": "Opening"},
        {"start_s": 2.0, "end_s": 5.0, "title": "Questions"},
    ]
    assert [track["type"] for track in probe(path).tracks] == ["audio", "cover"]
    assert "width" not in found
    tagged = tmp_path / "b.ogg"  # which keeps its tags at the stream
    ffmpeg("-i", tone, "-c:a", "libvorbis", "-metadata", "title=Hum", tagged)
    assert info(tagged)["tags"] == {"title": "Hum"}


@pytest.mark.parametrize(
    ("name", "codec"), [("a.mkv", "srt"), ("a.mp4", "mov_text"), ("b.mkv", "ass")]
)
def test_subtitles_are_segments(tmp_path: Path, video: Path, name: str, codec: str) -> None:
    (tmp_path / "a.srt").write_text(SRT, encoding="utf-8")
    path = tmp_path / name
    ffmpeg("-i", video, "-i", tmp_path / "a.srt", "-an", "-c", "copy", "-c:s", codec, path)
    result = read_text(path)
    assert result.info["subtitles"] is True
    assert result.segments == (
        Segment("time:0.5-1.5", "Mind the gap, please"),
        Segment("time:2-3.25", "مرحبا – 你好"),
    )
    assert read_text(path, span_s=(1.6, 2.5)).segments == result.segments[1:]
    cut = read_text(path, max_chars=20)
    assert (cut.segments, cut.next_offset) == (result.segments[:1], 20)
    assert read_text(path, max_chars=20, offset=20).segments == result.segments[1:]
    with pytest.raises(ToolError, match="lines"):
        read_text(path, lines=(1, 2))


def test_subtitles_of_two_languages_say_which(tmp_path: Path, video: Path) -> None:
    (tmp_path / "a.srt").write_text("1\n00:00:01,000 --> 00:00:02,000\nThe gap\n")
    (tmp_path / "b.srt").write_text("1\n00:00:01,000 --> 00:00:02,000\nDer Spalt\n")
    path = tmp_path / "a.mkv"
    ffmpeg(
        *("-i", video, "-i", tmp_path / "a.srt", "-i", tmp_path / "b.srt"),
        *("-map", "0", "-map", "1", "-map", "2", "-c", "copy", "-c:s", "srt"),
        *("-metadata:s:s:0", "language=eng", "-metadata:s:s:1", "language=ger"),
        path,
    )
    texts = [segment.text for segment in read_text(path).segments]
    assert texts == ["[eng] The gap", "[ger] Der Spalt"]


def test_srt_without_counters_or_text_is_understood() -> None:
    text = "00:00:01,000 --> 00:00:02,000\n{\\an8}42\n\n7\n00:00:03,000 --> 00:00:04,000\n\n"
    assert subtitles.parse_srt(text) == [(1.0, 2.0, "42")]


def test_a_torn_file_tells_what_is_missing(tmp_path: Path, video: Path) -> None:
    whole = tmp_path / "a.mkv"
    ffmpeg("-i", video, "-c", "copy", whole)
    torn = tmp_path / "b.mkv"
    torn.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    result = read_text(torn)
    assert 0.5 < result.info["duration_s"] < 3.5
    assert any("the rest is missing" in note for note in result.notes)
    headless = tmp_path / "c.mp4"
    headless.write_bytes(video.read_bytes()[: video.stat().st_size // 2])
    assert refused(headless).kind == "corrupt"


def test_a_header_that_promises_hours_is_not_believed(tmp_path: Path, tone: Path) -> None:
    data = bytearray(tone.read_bytes())
    at = data.index(b"data")
    data[at + 4 : at + 8] = (0xFFFFFFF0).to_bytes(4, "little")
    path = tmp_path / "endless.wav"
    path.write_bytes(data)
    assert info(path)["duration_s"] == pytest.approx(5.0, abs=0.1)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.mp4", b"\0\0\0\x1cftypisom\0\0\2\0isomiso2avc1mp41" + bytes(400)),
        ("a.mp3", b"ID3\4" + os.urandom(8) * 20),
        ("a.mkv", b"\x1aE\xdf\xa3" + b"\xff" * 300),
        ("a.ogg", b"OggS" + b"\0" * 300),
        ("a.wav", b"RIFF\x24\0\0\0WAVEfmt "),
        ("a.avi", b"RIFF\xff\xff\xff\xffAVI LIST" + b"\xff" * 300),
        ("a.flac", b"fLaC" + b"\xff" * 300),
    ],
)
def test_broken_files_are_typed_errors(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    error = refused(path)
    assert error.kind == "corrupt"
    assert str(tmp_path) not in error.message
    assert str(info(path)["problem"]).startswith("corrupt")


def test_empty_and_mislabelled_files(tmp_path: Path, tone: Path) -> None:
    (tmp_path / "a.mp3").touch()
    assert refused(tmp_path / "a.mp3").kind == "empty"
    wrong = tmp_path / "b.mp4"
    wrong.write_bytes(tone.read_bytes())
    result = read_text(wrong)
    assert result.info["mime"] == "audio/wav"
    assert result.notes[0].startswith("named .mp4")


@pytest.mark.parametrize(
    "playlist",
    [
        "#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:5,\n{0}\n#EXT-X-ENDLIST\n",
        "ffconcat version 1.0\nfile '{0}'\n",
    ],
)
def test_a_playlist_opens_no_other_file(tmp_path: Path, tone: Path, playlist: str) -> None:
    path = tmp_path / "list.mp4"
    path.write_text(playlist.format(tone))
    assert sniff(path).family == "text"
    with pytest.raises(ToolError) as caught:
        probe(path)
    assert caught.value.kind == "corrupt"


def test_what_takes_too_long_or_says_too_much_is_ended(tmp_path: Path) -> None:
    path = tmp_path / "a"
    with pytest.raises(ToolError) as caught:
        ff.run(["sleep", "60"], path, timeout_s=0.2, max_bytes=10)
    assert caught.value.kind == "timeout"
    with pytest.raises(ToolError) as caught:
        ff.run(["yes"], path, timeout_s=20, max_bytes=1000)
    assert caught.value.kind == "too_large"
    with pytest.raises(ToolError) as caught:
        ff.run(["no-such-program"], path, timeout_s=20, max_bytes=1000)
    assert (caught.value.kind, caught.value.remedy) == (
        "unsupported",
        "run: apt-get install ffmpeg",
    )
