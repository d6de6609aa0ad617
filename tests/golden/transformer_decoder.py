"""Writes the numbers of the cases of TransformerDecoder, its attention maps too:
torch.nn's layers in double precision, one sample at a time, so that a sequence that ends early is cut off.

Needs PyTorch; written with 2.15.0.
"""

import math

import torch

import case_numbers

torch.set_default_dtype(torch.float64)

BATCH, STEPS, MEMORY, SIZE, HEADS, LAYERS = 3, 4, 5, 6, 2, 2
tables = {}


def wave(*shape, phase=0.0):
    k = torch.arange(torch.Size(shape).numel(), dtype=torch.float64)
    return torch.cos(0.7 * k + phase).reshape(shape)


def with_waves(module):
    for weight in module.parameters():
        k = torch.arange(weight.numel(), dtype=torch.float64)
        weight.data = (0.1 * torch.cos(k)).reshape(weight.shape)
    return module


def positions(steps):
    return torch.tensor([[math.cos(p / 10000 ** ((e - 1) / SIZE)) if e % 2 else math.sin(p / 10000 ** (e / SIZE))
                          for e in range(SIZE)] for p in range(steps)])


def decoder(name, norm_first=False, activation="relu", is_causal=True, lengths=(STEPS,) * BATCH, memory_lengths=(MEMORY,) * BATCH,
            has_positions=True):
    layer = torch.nn.TransformerDecoderLayer(SIZE, HEADS, 3, dropout=0, activation=activation, batch_first=True, norm_first=norm_first)
    net = with_waves(torch.nn.TransformerDecoder(layer, LAYERS, torch.nn.LayerNorm(SIZE) if norm_first else None))
    sources = dict(net.named_parameters())
    sources["inputs"] = wave(BATCH, STEPS, SIZE).requires_grad_(True)
    sources["memory"] = wave(BATCH, MEMORY, SIZE, phase=1.0).requires_grad_(True)
    maps = []
    for one in net.layers:  # the weights of each head, which torch.nn does not return by itself
        ask = one.multihead_attn.forward

        def forward(*arguments, ask=ask, **options):
            options.update(need_weights=True, average_attn_weights=False)
            result, weights = ask(*arguments, **options)
            maps.append(weights.detach()[0])
            return result, weights

        one.multihead_attn.forward = forward
    rows, map_rows = [], []
    for b in range(BATCH):
        steps, known = lengths[b], memory_lengths[b]
        x = sources["inputs"][b:b + 1, :steps] + (positions(steps) if has_positions else 0)
        mask = torch.nn.Transformer.generate_square_subsequent_mask(steps, dtype=torch.float64) if is_causal else None
        maps.clear()
        rows.append(torch.cat([net(x, sources["memory"][b:b + 1, :known], tgt_mask=mask)[0], torch.zeros(STEPS - steps, SIZE)]))
        map_rows.append(torch.stack(maps))
    outputs = torch.stack(rows)
    (outputs * wave(*outputs.shape, phase=2.0)).sum().backward()
    values = {"outputs.outputs": outputs.tolist()}
    for source, tensor in sources.items():
        values["gradients." + (source if "." not in source else f'"{source}"')] = tensor.grad.tolist()
    tables[name] = values
    if name == "plain":
        tables["maps"] = {"outputs.outputs": outputs.tolist(), "outputs.attention_maps": torch.stack(map_rows).tolist()}


decoder("plain")
decoder("norm_first", norm_first=True, activation="gelu")
decoder("any_order", is_causal=False, has_positions=False)
decoder("lengths", lengths=(2, 4, 1), memory_lengths=(5, 1, 3))
case_numbers.write("transformer_decoder", "transformer_decoder.py", tables, 9)
