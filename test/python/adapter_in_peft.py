"""Loads an adapter that the engine exported into PEFT, on the same base in transformers, and compares all last logits.

    pip install torch transformers peft gguf
    npm run -s s3 -- model train --model FILE.gguf --data step.json --out ADAPTER
    python test/python/adapter_in_peft.py FILE.gguf ADAPTER [1,2,3,...]

Exit 1 where a logit differs by 0.01 or more, or where the adapter changes nothing. No part of `npm test`.
"""

import json
import subprocess
import sys
from pathlib import Path

import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM

ROOT = Path(__file__).resolve().parents[2]
MOST = 0.01


def ours(model: Path, ids: list[int], adapter: Path | None) -> torch.Tensor:
    command = ["node", "bin/s3.mjs", "model", "logits", "--model", str(model), "--ids", ",".join(map(str, ids)), "--json"]
    if adapter:
        command += ["--adapter", str(adapter)]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return torch.tensor(json.loads(done.stdout)["last"])


def main() -> int:
    model, adapter = (Path(arg).resolve() for arg in sys.argv[1:3])
    ids = [int(part) for part in sys.argv[3].split(",")] if len(sys.argv) > 3 else [1, 9690, 198, 2683, 359, 253, 5356]
    base = AutoModelForCausalLM.from_pretrained(model.parent, gguf_file=model.name, dtype=torch.float32)
    with torch.no_grad():
        plain = base(torch.tensor([ids])).logits[0, -1]
        adapted = PeftModel.from_pretrained(base, adapter).eval()(torch.tensor([ids])).logits[0, -1]
    differences = {
        "base": (ours(model, ids, None) - plain).abs().max().item(),
        "with the adapter": (ours(model, ids, adapter) - adapted).abs().max().item(),
    }
    moved = (adapted - plain).abs().max().item()
    for name, difference in differences.items():
        print(f"{name}: logits differ by {difference:.1e} at most")
    print(f"the adapter moves a logit by {moved:.2f} at most")
    return 0 if max(differences.values()) < MOST < moved else 1


if __name__ == "__main__":
    sys.exit(main())
