"""Reads a safetensors file as its format says, with nothing but Python's standard library.

Prints name, type and shape of each tensor and, for F32, its first value in hexadecimal.
https://huggingface.co/docs/safetensors: eight bytes with the header's length, the header in JSON,
the tensors' bytes without a gap.
"""

import json
import struct
import sys

SIZES = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I32": 4, "I16": 2, "I8": 1, "U8": 1, "BOOL": 1}

with open(sys.argv[1], "rb") as file:
    content = file.read()
(length,) = struct.unpack("<Q", content[:8])
header = json.loads(content[8 : 8 + length])
data = content[8 + length :]
header.pop("__metadata__", None)
end = 0
for name, tensor in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
    begin, after = tensor["data_offsets"]
    count = 1
    for size in tensor["shape"]:
        count *= size
    assert begin == end, f"{name} begins at {begin}, not {end}"
    assert after - begin == count * SIZES[tensor["dtype"]], f"{name} has a wrong size"
    end = after
    first = ""
    if tensor["dtype"] == "F32" and count:
        first = " " + struct.unpack("<f", data[begin : begin + 4])[0].hex()
    print(name, tensor["dtype"], str(tensor["shape"]) + first)
assert end == len(data), f"{len(data) - end} bytes follow the last tensor"
