"""Ten everyday tasks of a researcher, in thirteen lines with the Python client, pandas and pyarrow.

    SEMBLANCE_URL=http://localhost:8880 SEMBLANCE_KEY=smb_… python tasks.py
"""
import gzip, json, pathlib
import pandas as pd
from semblance_client import Client

data = pathlib.Path(__file__).parent.parent / 'parallels' / 'gospels.ndjson.gz'
verses = [json.loads(line) for line in gzip.open(data)]


# Connect, and create a project
kjv = Client().project('kjv', dimensions=384, model='all-MiniLM-L6-v2')

# Upload 3,779 verses
kjv.upload(verses)

# Run the cell again
kjv.upload(verses)

# 200 searches with their texts, as a table
vectors = [verse['vector'] for verse in verses[:200]]
df = kjv.search(vectors, include=['text', 'metadata']).to_pandas()

# Only Luke, chapters 1 and 2
hits = kjv.search(vectors[0], filter={'ref.book': 'Luke', 'ref.chapter': {'$lte': 2}})

# Neither Luke nor Mark
hits = kjv.search(vectors[0], filter={'ref.book': {'$nin': ['Luke', 'Mark']}})

# Verses with these words in them
seeds = kjv.search(words='"mustard seed" -faith', include=['text'])

# Everything, with the matrix
everything = kjv.get()
D, M = everything.to_pandas(), everything.vectors

# Parallels between the books
pairs = kjv.neighbours(k=1, different='ref.book').to_pandas()
book = D.set_index('text_id')['ref.book']
heat = pd.crosstab(pairs.id.map(book), pairs.neighbour.map(book))

# Delete John
kjv.delete(filter={'ref.book': 'John'})

print(df.shape, hits.ids[:3], seeds.ids, D.shape, M.shape); print(heat)
