"""Writes the numbers of tests/cases/attention_decoder_positions.toml: PyTorchPipe's decoder, with learned scores of positions and
its own outputs fed back, by its formulas in double precision, one sample and one step at a time, without padding.

Needs PyTorch; written with 1.13.
"""

import torch

import case_numbers

torch.set_default_dtype(torch.float64)

BATCH, STEPS, INPUT, HIDDEN, WORDS, WRITTEN = 3, 4, 3, 2, 5, 4
tables = {}


def wave(*shape, phase=0.0, frequency=0.7, scale=1.0):
    k = torch.arange(torch.Size(shape).numel(), dtype=torch.float64)
    return (scale * torch.cos(frequency * k + phase)).reshape(shape).requires_grad_(True)


def decoder(name, lengths=(STEPS,) * BATCH, source=STEPS, positions=WRITTEN, prediction="Dense", has_output=True, log_softmax=True,
            has_maps=False):
    fed = WORDS if has_output else HIDDEN
    shapes = {"rnn_cell.weight_ih_l0": (3 * HIDDEN, HIDDEN), "rnn_cell.weight_hh_l0": (3 * HIDDEN, HIDDEN),
              "rnn_cell.bias_ih_l0": (3 * HIDDEN,), "rnn_cell.bias_hh_l0": (3 * HIDDEN,),
              "attn.weight": (positions, fed + HIDDEN), "attn.bias": (positions,),
              "attn_combine.weight": (HIDDEN, fed + INPUT), "attn_combine.bias": (HIDDEN,), "sos_token": (1, fed)}
    if has_output:
        shapes.update({"activation2output_layer.weight": (WORDS, HIDDEN), "activation2output_layer.bias": (WORDS,)})
    p = {key: wave(*shape, frequency=1.0) for key, shape in shapes.items()}
    inputs, first = wave(BATCH, source, INPUT), wave(BATCH, 1, HIDDEN, phase=1)

    def gru(x, h):
        from_x = p["rnn_cell.weight_ih_l0"] @ x + p["rnn_cell.bias_ih_l0"]
        from_h = p["rnn_cell.weight_hh_l0"] @ h + p["rnn_cell.bias_hh_l0"]
        (rx, zx, nx), (rh, zh, nh) = from_x.split(HIDDEN), from_h.split(HIDDEN)
        z = torch.sigmoid(zx + zh)
        return (1 - z) * torch.tanh(nx + torch.sigmoid(rx + rh) * nh) + z * h

    predictions, states, maps = [], [], []
    for b in range(BATCH):
        h, x = first[b, 0], p["sos_token"][0]
        rows, weights = [], []
        for _ in range(WRITTEN):
            scores = p["attn.weight"] @ torch.cat([x, h]) + p["attn.bias"]
            shares = torch.exp(scores[:lengths[b]])
            shares = shares / shares.sum()
            context = sum(share * step for share, step in zip(shares, inputs[b]))
            h = gru(torch.relu(p["attn_combine.weight"] @ torch.cat([x, context]) + p["attn_combine.bias"]), h)
            x = p["activation2output_layer.weight"] @ h + p["activation2output_layer.bias"] if has_output else h
            rows.append(x - torch.log(torch.exp(x).sum()) if log_softmax else x)
            weights.append(torch.cat([shares, torch.zeros(source - lengths[b])]))
        predictions.append(rows[-1] if prediction == "Last" else torch.stack(rows))
        states.append(h.unsqueeze(0))
        maps.append(torch.stack(weights))
    predictions, states = torch.stack(predictions), torch.stack(states)
    differentiated = states if prediction == "None" else predictions
    (differentiated * wave(*differentiated.shape, phase=2).detach()).sum().backward()
    values = {"outputs.output_state" if prediction == "None" else "outputs.predictions": differentiated.tolist()}
    for key, tensor in {**p, "inputs": inputs, "input_state": first}.items():
        if tensor.grad is not None:
            values["gradients." + (f'"{key}"' if "." in key else key)] = tensor.grad.tolist()
    tables[name] = values
    if has_maps:
        tables[name + "_maps"] = {"outputs.predictions": predictions.tolist(), "outputs.output_state": states.tolist(),
                                  "outputs.attention_maps": torch.stack(maps).tolist()}


decoder("fed_back", has_maps=True)
decoder("lengths", lengths=(2, 4, 1), has_maps=True)
decoder("short_source", source=3, lengths=(3, 3, 3))
decoder("more_positions", positions=6)
decoder("last", prediction="Last")
decoder("state", prediction="None")
decoder("activations", has_output=False, log_softmax=False)
case_numbers.write("attention_decoder_positions", "position_decoder.py", tables, 7)
