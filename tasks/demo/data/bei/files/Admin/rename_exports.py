"""Rename what the editor exports: client_job_vN.ext, last one FINAL_final.

Run it after the captions are in and before anything goes to the client.
(I know about the double final. It is how I find things.)
"""

import sys
from pathlib import Path


def main(folder: str, client: str, job: str) -> None:
    files = sorted(Path(folder).glob("export*.mp4"), key=lambda p: p.stat().st_mtime)
    for number, path in enumerate(files, 1):
        last = "_FINAL_final" if path == files[-1] else ""
        path.rename(path.with_name(f"{client}_{job}_v{number}{last}.mp4"))


if __name__ == "__main__":
    main(*sys.argv[1:4])
