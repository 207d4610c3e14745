"""What the environment is about: a person's files, the questions, and their gold evidence."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from deskgym.tasks.locators import Locator, WholeFile

FORMAT_VERSION = 1

Modality = Literal["document", "image", "text", "audio", "video"]
MODALITIES: tuple[Modality, ...] = ("document", "image", "text", "audio", "video")
QAType = Literal["factual_retention", "profiling"]
ProfilingType = Literal[
    "preferences",
    "behavioural_patterns",
    "scheduling",
    "retrospective_reflections",
    "workflows",
]


def relative_path(path: str) -> str:
    """``path`` itself, if it is a plain path below a profile's root.

    Raises:
        ValueError: it is empty or absolute, or holds ``..`` or a NUL.
    """
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts or "\0" in path:
        raise ValueError(f"not a path inside a profile: {path[:80]!r}")
    return path


RelativePath = Annotated[str, AfterValidator(relative_path)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class FileRecord(_Model):
    """One file of a profile. Times are local to the person and carry no zone."""

    id: int
    path: RelativePath
    type: str = Field(description="the kind of file as its suffix says, lower case: pdf, eml, ...")
    modality: Modality
    size: int = Field(ge=0, description="bytes")
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    created: datetime
    modified: datetime
    latitude: float | None = Field(default=None, ge=-90, le=90, description="degrees")
    longitude: float | None = Field(default=None, ge=-180, le=180, description="degrees")
    location: str | None = None


class Evidence(_Model):
    """One atomic unit that supports an answer: a place in a file, and what stands there."""

    evidence_id: str
    file_path: RelativePath
    modality: Modality
    locator: Locator = WholeFile()
    text: str = Field(description="what the file says, shows or sounds there")


class Injection(_Model):
    """An instruction planted in one of the person's files, to see whether an agent obeys it."""

    file_path: RelativePath
    text: str = Field(min_length=1, description="the instruction as it stands in the file")
    answer: str = Field(min_length=1, description="what an agent that obeys it answers")


class RationaleStep(_Model):
    """One step of the reasoning from evidence to answer."""

    step_id: int = Field(ge=1)
    text: str
    evidence_ids: tuple[str, ...] = ()


class Capabilities(_Model):
    """The abilities that a task asks for, as labels in HippoCamp's three families."""

    search: tuple[str, ...] = ()
    perception: tuple[str, ...] = ()
    reasoning: tuple[str, ...] = ()


class Task(_Model):
    """A question about one profile, with the gold that it is scored against.

    Gold stays on the host: what an agent gets to see of a task is ``question`` alone.
    ``extra`` keeps what a published record says beyond these fields, so that it can be
    written back without loss.
    """

    id: str
    profile_id: str = Field(pattern=r"^[a-z0-9_-]+/[a-z0-9_.-]+$")
    question: str = Field(min_length=1)
    answer: str = Field(min_length=1)
    answerable: bool = Field(
        default=True, description="False: the right answer is that the files do not say"
    )
    qa_type: QAType
    profiling_type: ProfilingType | None = None
    question_type: str | None = Field(
        default=None, description="the data set's own kind of question, if it has kinds of its own"
    )
    labels: tuple[str, ...] = Field(
        default=(), description="what makes the question hard, in the data set's own words"
    )
    asked: date | None = Field(default=None, description="the day on which it is asked")
    files: tuple[RelativePath, ...] = Field(
        default=(), description="the smallest set of files that supports the answer"
    )
    evidence: tuple[Evidence, ...] = ()
    rationale: tuple[RationaleStep, ...] = ()
    capabilities: Capabilities = Capabilities()
    injection: Injection | None = None
    extra: dict[str, Any] = Field(default_factory=dict)

    @property
    def family(self) -> str:
        """What scores are grouped by: ``unanswerable``, else the kind of question."""
        if not self.answerable:
            return "unanswerable"
        return self.question_type or self.profiling_type or self.qa_type

    @model_validator(mode="after")
    def _consistent(self) -> Task:
        ids = [e.evidence_id for e in self.evidence]
        if len(set(ids)) != len(ids):
            raise ValueError(f"task {self.id}: an evidence id is used twice")
        cited = {i for step in self.rationale for i in step.evidence_ids}
        if missing := sorted(cited - set(ids)):
            raise ValueError(f"task {self.id}: the rationale cites {missing}, which is not there")
        kind = self.profiling_type or (self.question_type if self.qa_type == "profiling" else None)
        if (self.qa_type == "profiling") != (kind is not None):
            raise ValueError(
                f"task {self.id}: profiling_type (or a question_type of the data set's own) goes "
                "with qa_type 'profiling'"
            )
        if outside := sorted({e.file_path for e in self.evidence} - set(self.files)):
            raise ValueError(f"task {self.id}: evidence in {outside}, which files does not list")
        return self


class Profile(_Model):
    """One person's computer: where its files lie on the host, and what is known about each."""

    id: str = Field(pattern=r"^[a-z0-9_-]+/[a-z0-9_.-]+$")
    user: str = Field(description="the person's name, as shown")
    description: str = ""
    root: Path = Field(description="the folder on the host that becomes /desk")
    files: tuple[FileRecord, ...]
    digest: str = Field(description="SHA-256 over the sorted paths, contents and times")
    part_of: str | None = Field(
        default=None, description="the digest of the whole profile, of which this shows some files"
    )

    @property
    def name(self) -> str:
        return self.id.partition("/")[2]
