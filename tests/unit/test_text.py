from __future__ import annotations

import pytest

from conformance.values.text import without_folders


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (
            'File "/home/me/lib/site-packages/openvino/model.py", line 6 in run',
            'File "openvino/model.py", line 6 in run',
        ),
        ('File "C:\\Users\\me\\openvino\\model.py", line 6', 'File "openvino\\model.py", line 6'),
        ('File "openvino/model.py", line 6', 'File "openvino/model.py", line 6'),
        ('File "<frozen runpy>", line 88 in _run_code', 'File "<frozen runpy>", line 88 in _run_code'),
        ('free(): invalid pointer "/home/me/a/b"', 'free(): invalid pointer "/home/me/a/b"'),
        ('File "/a/b/c.py"\nFile "/d/e/f.py"', 'File "b/c.py"\nFile "e/f.py"'),
    ],
)
def test_a_traced_file_keeps_its_last_folder_alone(given: str, shown: str) -> None:
    assert without_folders(given) == shown
