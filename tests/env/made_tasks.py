"""Tasks made up for tests: three people, several families, two scripts, text, pictures, sound."""

from __future__ import annotations

import functools
import io
import wave
from datetime import datetime, timedelta

from PIL import Image

from deskgym.tasks.schema import Capabilities, Evidence, FileRecord, RationaleStep, Task

PEOPLE = ("made/ann", "made/bo", "made/cy")
DAY = datetime(2024, 3, 1)
_LIMBS = ("lease", "invoice", "meeting", "parcel", "garden", "insurance", "ticket", "receipt")


def made_task(number: int) -> Task:
    """The task of that number. Every tenth is unanswerable, every seventh in Chinese."""
    person = PEOPLE[number % 3]
    limb, amount = _LIMBS[number % 8], 1_000 + 7 * number
    day = (DAY + timedelta(days=number % 300)).strftime("%-d %B %Y")
    if number % 7 == 3:
        question = f"第{number}号合同的押金是多少，什么时候到期？"
        fact, answer = f"押金为{amount}元，由王小明在{number % 27 + 1}日支付。", f"押金为{amount}元"
    else:
        question = f"What was agreed about {limb} number {number}, and when is it due?"
        fact = f"Agreed with Clara Voss: {amount:,} euros for {limb} {number}, due on {day}."
        answer = f"{amount:,} euros, due on {day}"
    kind: dict[str, object] = {"qa_type": "factual_retention"}
    if number % 3 == 1:
        kind = {"qa_type": "profiling", "profiling_type": "preferences"}
    if number % 3 == 2:
        kind |= {"question_type": ("fact", "temporal")[number % 2], "labels": ("noise", "update")}
    if number % 10 == 9:
        return Task(
            id=f"{person.partition('/')[2]}-{number:05}",
            profile_id=person,
            question=question,
            answer="The files do not say.",
            answerable=False,
            **kind,
        )
    path = f"notes/{limb}-{number}.txt"
    evidence = [
        Evidence(evidence_id="e1", file_path=path, modality="text", locator="lines:3-4", text=fact)
    ]
    if number % 4 == 1:
        evidence.append(
            Evidence(
                evidence_id="e2",
                file_path="pictures/board.png",
                modality="image",
                locator="file",
                text=f"{limb} on the board",
            )
        )
    if number % 4 == 2:
        evidence.append(
            Evidence(
                evidence_id="e2",
                file_path="sounds/memo.wav",
                modality="audio",
                locator="time:0-1",
                text="remember the deposit",
            )
        )
    return Task(
        id=f"{person.partition('/')[2]}-{number:05}",
        profile_id=person,
        question=question,
        answer=answer,
        files=tuple(dict.fromkeys(e.file_path for e in evidence)),
        evidence=tuple(evidence),
        rationale=tuple(
            RationaleStep(step_id=n, text="read it", evidence_ids=(e.evidence_id,))
            for n, e in enumerate(evidence, 1)
        ),
        capabilities=Capabilities(
            search=(("keyword", "time")[number % 2],),
            perception=(("text", "image", "audio")[number % 3],),
            reasoning=("lookup",) if number % 2 else ("lookup", "comparison"),
        ),
        **kind,
    )


def made_files(task: Task) -> dict[str, FileRecord]:
    """The records of the task's gold files, by path."""
    modality = {"txt": "text", "png": "image", "wav": "audio"}
    return {
        path: FileRecord(
            id=n,
            path=path,
            type=path.rpartition(".")[2],
            modality=modality[path.rpartition(".")[2]],
            size=100,
            sha256="0" * 64,
            created=DAY,
            modified=DAY + timedelta(days=3 * n),
        )
        for n, path in enumerate(task.files, 1)
    }


@functools.cache
def picture() -> bytes:
    """A PNG of 320 x 240 with something to see on it."""
    image = Image.linear_gradient("L").resize((320, 240)).convert("RGB")
    image.paste((200, 40, 40), (40, 40, 160, 120))
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


@functools.cache
def sound() -> bytes:
    """A fifth of a second of a tone, as WAV."""
    out = io.BytesIO()
    with wave.open(out, "wb") as stream:
        stream.setnchannels(1)
        stream.setsampwidth(1)
        stream.setframerate(8_000)
        stream.writeframes(bytes(128 + (60 if n % 16 < 8 else -60) for n in range(1_600)))
    return out.getvalue()
