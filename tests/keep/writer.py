"""A process that appends to the journal of a folder, each text that it reads from its input: python writer.py FOLDER"""

import json
import sys
from pathlib import Path

from otel_prov.record.journal import Journal

journal = Journal(Path(sys.argv[1]))
for text in sys.stdin:
    print(journal.write(json.loads(text).encode()), flush=True)
