"""Bei's office: her helper's papers, scripts and logs, contacts and calendar."""

from __future__ import annotations

from deskgym.tasks.demo.make.kit import Desk, Event


def add_files(desk: Desk) -> None:
    """Write what keeps the office running."""
    _farah(desk)
    _scripts(desk)
    _contacts(desk)
    _calendar(desk)


def _farah(desk: Desk) -> None:
    body = """
        # Agreement - assistant editor

        between Bei Lindqvist-Tan (Papaya Moon) and Farah Yusof, from 1 {month} 2024

        Farah helps with logging, rough cuts and captions, on days that we agree a week ahead, at
        the studio or from home. A day is eight hours with a proper lunch; half days count as 0.5.

        The fee is {fee} for each day. Farah writes her days into the shared sheet with the name of
        the client, and is paid at the start of the month after the job is delivered.

        Wednesdays in the studio are quiet: no calls, no visitors, headphones welcome.

        Farah may show the work in her portfolio once the client has published it. Either of us
        may end this with two weeks' notice. {sign}
        """
    desk.docx(
        "Admin/Farah agreement_v1.docx",
        body.format(month="January", fee="S$160", sign="DRAFT, not signed."),
        created="2024-01-09 12:40",
    )
    desk.docx(
        "Admin/Farah agreement_v2_FINAL-signed.docx",
        body.format(month="February", fee="S$180", sign="Signed by both, 25 January 2024."),
        created="2024-01-25 18:02",
    )
    desk.text(
        "Admin/farah_hours_2024.csv",
        """
        date,client,days,what
        2024-03-18,Kopi Harbour,1.0,log rushes
        2024-03-25,Kopi Harbour,0.5,captions
        2024-08-06,Lumen Studio,2.0,log rushes + selects
        2024-08-15,Lumen & Sons,1.0,rough cut shop film
        2024-08-20,Lumen Studio,2.5,rough cut A
        2024-08-26,Lumen & Sons,1.0,captions + tidy
        2024-09-05,Lumen Studio,1.5,captions + third round changes
        2024-11-25,Foldwell Books,1.0,stills
        """,
        created="2024-03-18 18:11",
        modified="2024-11-25 18:20",
    )


def _scripts(desk: Desk) -> None:
    desk.text(
        "Admin/rename_exports.py",
        '''
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
        ''',
        created="2024-03-30 23:05",
        modified="2024-09-11 20:44",
    )
    desk.text(
        "Admin/backup.log",
        """
        2024-08-30 17:41 Fri  orange ok 212 GB  |  grey ok 212 GB
        2024-09-06 17:38 Fri  orange ok 240 GB  |  grey ok 240 GB
        2024-09-13 17:52 Fri  orange ok 251 GB  |  grey FAILED cable
        2024-09-13 18:20 Fri  grey ok 251 GB (new cable)
        2024-09-20 17:35 Fri  orange ok 251 GB  |  grey ok 251 GB
        2024-10-04 17:44 Fri  orange ok 253 GB  |  grey ok 253 GB
        2024-10-11 17:40 Fri  orange ok 253 GB  |  grey ok 253 GB
        """,
        created="2024-08-30 17:41",
        modified="2024-10-11 17:40",
    )


def _contacts(desk: Desk) -> None:
    mobile = "+65 5550 "
    desk.vcf(
        "Downloads/contacts export.vcf",
        [
            {"name": "Maya Okada", "phone": "+81 75 555 0163", "note": "answers in the morning"},
            {"name": "Maya Okafor", "phone": mobile + "0142", "note": "texts, never calls"},
            {"name": "Gerald Lumen", "org": "Lumen & Sons", "phone": mobile + "0177"},
            {"name": "Priya Raman", "org": "Kopi Harbour", "phone": mobile + "0129"},
            {"name": "Idris Halim", "title": "sound", "phone": mobile + "0155"},
            {"name": "Farah Yusof", "title": "assistant editor", "phone": mobile + "0181"},
            {"name": "Chua Siew Lan", "title": "accountant", "phone": mobile + "0110"},
            {"name": "Helle Brandt", "org": "Northquay Museum", "phone": mobile + "0194"},
            {"name": "Dr Anand Pillay", "org": "Whisker Clinic", "phone": mobile + "0136"},
        ],
        created="2025-02-03 09:30",
    )


def _calendar(desk: Desk) -> None:
    weekly = "FREQ=WEEKLY"
    desk.ics(
        "Desktop/cal_export.ics",
        [
            Event("No meetings - edit day", "2024-01-10 09:00", "2024-01-10 18:00", rrule=weekly),
            Event("Backup both drives", "2024-01-12 17:30", "2024-01-12 18:00", rrule=weekly),
            Event(
                "MY deadline Kopi reel",
                "2024-04-03 18:00",
                "2024-04-03 18:30",
                notes="Priya gets it on Friday 5 April",
            ),
            Event(
                "Lisbon",
                "2024-05-12 06:00",
                "2024-05-24 23:00",
                notes="back at home late on 25 May, Singapore time",
            ),
            Event("Landing day after Lisbon - nothing", "2024-05-27 09:00", "2024-05-27 18:00"),
            Event(
                "MY deadline shop film",
                "2024-08-28 18:00",
                "2024-08-28 18:30",
                notes="Gerald expects it on 30 August",
            ),
            Event(
                "MY deadline Slow Light",
                "2024-09-10 18:00",
                "2024-09-10 18:30",
                notes="promised for 12 September",
            ),
            Event("Kyoto", "2024-11-09 05:00", "2024-11-18 22:00"),
            Event("Landing day after Kyoto - nothing", "2024-11-19 09:00", "2024-11-19 18:00"),
            Event("Reunion dinner, Pa", "2025-01-28 19:00", "2025-01-28 22:00", location="Jin He"),
            Event("Northquay planning", "2025-02-20 14:00", "2025-02-20 16:00", location="museum"),
            Event("Lagom - Whisker Clinic", "2025-03-14 10:20", "2025-03-14 10:50"),
        ],
        created="2025-03-02 20:15",
    )
