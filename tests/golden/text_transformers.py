#!/usr/bin/python3
"""Writes the numbers of the cases of CausalTransformer and TextEncoder, from Hugging Face's GPT2LMHeadModel and BertModel,
with gradients, in double precision.

Needs PyTorch and transformers; written with 1.13 and 4.30.2.
"""

import torch
import transformers

import case_numbers

torch.set_default_dtype(torch.float64)

WORDS = 5
INPUTS = torch.tensor([[3, 1, 4, 1], [0, 2, 2, 3]])


def waves(shape, phase=0.0, step=0.7, scale=1.0):
    k = torch.arange(torch.Size(shape).numel(), dtype=torch.float64)
    return (scale * torch.cos(step * k + phase)).reshape(shape)


def with_waves(net):
    for weight in net.parameters():
        weight.data = waves(weight.shape, step=1.0, scale=0.3)
    return net.eval()


def numbers(name, outputs, parameters):
    (outputs * waves(outputs.shape, phase=2.0)).sum().backward()
    values = {f"outputs.{name}": outputs.tolist()}
    for parameter, tensor in parameters:
        values[f'gradients."{parameter}"'] = tensor.grad.tolist()
    return values


def gpt(is_tied=True):
    return with_waves(transformers.GPT2LMHeadModel(transformers.GPT2Config(
        vocab_size=WORDS, n_positions=10, n_embd=4, n_layer=2, n_head=2, n_inner=3, tie_word_embeddings=is_tied)))


def causal(is_tied):
    net = gpt(is_tied)
    return numbers("predictions", torch.log_softmax(net(INPUTS).logits, 2),
                   [(name.removeprefix("transformer."), weight) for name, weight in net.named_parameters()])


def continued(inputs, count):
    """The words that follow each sequence by itself, the likeliest ones; and what is predicted for all of `INPUTS`."""
    net = gpt()
    for name, weight in net.named_parameters():
        table = "wte" in name or "wpe" in name
        weight.data = waves(weight.shape, step=4.1 if table else 1.0)
        if "ln_f" in name:
            weight.data.fill_(float("weight" in name))
    written = []
    for words in inputs:
        row = torch.tensor([words])
        all_words = net.generate(row, attention_mask=torch.ones_like(row), do_sample=False, max_new_tokens=count,
                                 pad_token_id=0, eos_token_id=None)
        written.append(all_words[0, len(words):].tolist())
    return {"outputs.predictions": torch.log_softmax(net(INPUTS).logits, 2).tolist(), "outputs.continuation": written}


def encoder():
    return with_waves(transformers.BertModel(transformers.BertConfig(
        vocab_size=WORDS, max_position_embeddings=6, hidden_size=4, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=3, pad_token_id=None), add_pooling_layer=True))


def encoded(output, types=None, lengths=None):
    net = encoder()
    mask = None if lengths is None else torch.arange(4) < torch.tensor(lengths).unsqueeze(1)
    all_outputs = net(INPUTS, token_type_ids=types, attention_mask=mask)
    outputs = all_outputs.pooler_output if output == "pooled" else all_outputs.last_hidden_state
    return numbers(output, outputs, [(name, weight) for name, weight in net.named_parameters() if weight.grad is not None
                                     or not name.startswith("pooler.") or output == "pooled"])


case_numbers.write("causal_transformer", "text_transformers.py",
                   {"tied": causal(True), "untied": causal(False),
                    "continued": continued(INPUTS.tolist(), 6), "continued_by_lengths": continued([[3, 1], [0, 2, 2, 3]], 6)},
                   digits=9)
case_numbers.write("text_encoder", "text_transformers.py",
                   {"pooled": encoded("pooled"),
                    "words": encoded("outputs", torch.tensor([[0, 0, 1, 1], [0, 1, 1, 1]])),
                    "padded": encoded("pooled", lengths=[2, 4])}, digits=9)
