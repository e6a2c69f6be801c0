"""Nine everyday tasks of a researcher, with nothing but an HTTP library (requests) and pandas with pyarrow.

    ADMIN_KEY=$(cat data/admin.key) python nine_tasks.py
"""
import gzip, io, json, os, pathlib
import numpy as np, pandas as pd, requests

data = pathlib.Path(__file__).parent.parent / 'parallels' / 'gospels.ndjson.gz'
verses = [json.loads(line) for line in gzip.open(data)]


# Connect, and create a project
S = requests.Session()
def call(method, path, **kw):
    r = S.request(method, os.environ.get('SEMBLANCE_URL', 'http://localhost:8880') + path, **kw)
    if not r.ok: raise RuntimeError(f"{r.status_code} {r.json()['detail']}")
    return r
S.headers['Authorization'] = 'Bearer ' + os.environ['ADMIN_KEY'].strip()
S.headers['Authorization'] = 'Bearer ' + call('PUT', '/v1/users/ruth', json={}).json()['api_key']
call('PUT', '/v1/llm-services/ruth/minilm', json=dict(endpoint='https://x.example/', api_standard='provider-a', model='all-MiniLM-L6-v2', dimensions=384))
call('PUT', '/v1/projects/ruth/kjv', json=dict(instance_owner='ruth', instance_handle='minilm'))
E_, Q, P = '/v1/embeddings/ruth/kjv', '/v1/similars/ruth/kjv', '/v1/projects/ruth/kjv'

# Upload 3,779 verses
call('POST', E_ + '?on_conflict=replace', json={'instance_handle': 'minilm', 'vector_dim': 384, 'embeddings': verses})

# Run the cell again
call('POST', E_ + '?on_conflict=replace', json={'instance_handle': 'minilm', 'vector_dim': 384, 'embeddings': verses})

# 200 searches with their texts, as a table
answers = [a for i in (0, 100) for a in call('POST', Q + '/batch', json={'searches': [dict(vector=v['vector'], threshold=0, include=['text', 'metadata']) for v in verses[i:i + 100]]}).json()['answers']]
df = pd.DataFrame([(v['text_id'], r['id'], r['similarity'], r['text'], r['metadata']['ref']['book']) for v, a in zip(verses, answers) for r in a['results']], columns=['query', 'id', 'similarity', 'text', 'book'])

# Only Luke, chapters 1 and 2
hits = call('POST', Q, json=dict(vector=verses[0]['vector'], filter={'ref.book': 'Luke', 'ref.chapter': {'$lte': 2}}, threshold=0)).json()['results']

# Neither Luke nor Mark
hits = call('POST', Q, json=dict(vector=verses[0]['vector'], filter={'ref.book': {'$nin': ['Luke', 'Mark']}}, threshold=0)).json()['results']

# Everything, with the matrix
D = pd.read_parquet(io.BytesIO(call('GET', P + '/export?format=parquet').content))
M = np.stack(D.vector)

# Parallels between the books
book = {v['text_id']: v['metadata']['ref']['book'] for v in verses}
pairs = [json.loads(l) for l in call('POST', Q + '/neighbours', json=dict(k=1, threshold=0, different='ref.book')).iter_lines()]
heat = pd.DataFrame([(book[n['id']], book[n['neighbours'][0]['id']], n['neighbours'][0]['similarity']) for n in pairs if n.get('neighbours')], columns=['a', 'b', 's']).pivot_table(index='a', columns='b', values='s', aggfunc='count')

# Delete John
call('POST', E_ + '/delete', json={'filter': {'ref.book': 'John'}})

print(df.shape, [h['id'] for h in hits][:3], D.shape, M.shape); print(heat)
