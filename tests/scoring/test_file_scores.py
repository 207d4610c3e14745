"""Files against the gold set."""

from deskgym.tasks.scoring import FileScores, file_scores, mean_file_scores


def test_half_right() -> None:
    assert file_scores(["a", "b", "c", "c"], {"a", "x"}) == FileScores(
        precision=1 / 3, recall=0.5, f1=0.4
    )


def test_nothing_predicted() -> None:
    assert file_scores([], ["a"]) == FileScores(precision=0, recall=0, f1=0)


def test_all_wrong() -> None:
    assert file_scores(["b"], ["a"]) == FileScores(precision=0, recall=0, f1=0)


def test_all_right() -> None:
    assert file_scores(["b", "a"], ["a", "b"]) == FileScores(precision=1, recall=1, f1=1)


def test_no_gold_is_no_score() -> None:
    assert file_scores(["a"], []) is None


def test_means_leave_out_instances_without_gold() -> None:
    one = FileScores(precision=1, recall=1, f1=1)
    none = FileScores(precision=0, recall=0, f1=0)
    assert mean_file_scores([one, None, none]) == FileScores(precision=0.5, recall=0.5, f1=0.5)
    assert mean_file_scores([None]) is None
