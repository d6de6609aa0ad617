#!/usr/bin/python3
"""Writes the numbers of tests/cases/*_loss.toml: losses and their gradients as PyTorch has them.

Needs python3-torch; the same to 13 digits with PyTorch 1.13.1 and 2.15.0. Inputs are the formulas below, which the runner of
the cases has too. What does not count is left out by indexing here, not by masks, and the mean is worked out from single losses.
"""
import collections
import re

import torch
import torch.nn.functional as F

import case_numbers

torch.set_default_dtype(torch.float64)


def sines(sizes, phase):
    count = torch.Size(sizes).numel()
    return (1.5 * torch.sin(0.7 * torch.arange(count) + phase)).reshape(sizes)


def shares(sizes):
    return (sines(sizes, 1.0) / 3 + 0.5).reshape(sizes)


def classes(sizes, count):
    k = torch.arange(torch.Size(sizes).numel())
    return ((k * k + 1) % count).reshape(sizes)


def masks(sizes):
    return (torch.arange(torch.Size(sizes).numel()) % 3 != 1).reshape(sizes)


def sample_weights(count):
    return 0.5 * (torch.arange(count) % 4 + 1)


tables = collections.defaultdict(dict)  # by loss


def line(name, loss, weight, *inputs, of=("predictions",)):
    """`name`: the loss, a dot, and the name of the numbers."""
    gradients = torch.autograd.grad(loss, inputs, retain_graph=True)
    values = {"outputs.loss": loss.item(), "collected.loss_weight": float(weight)}
    for stream, gradient in zip(of, gradients):
        values["gradients." + stream] = gradient.tolist()
    component, case = name.split(".", 1)
    tables[component][case] = values


def element_losses():
    def cases(name, loss, sizes, targets):
        x = sines(sizes, 0.2).requires_grad_()
        line(f"{name}.plain", loss(x, targets).mean(), x.numel(), x)
        rows = masks(sizes[:1])
        line(f"{name}.masked", loss(x, targets)[rows].mean(), loss(x, targets)[rows].numel(), x)
        weights = sample_weights(sizes[0])
        mean = (loss(x, targets).mean(1) * weights).sum() / weights.sum()
        line(f"{name}.weighted", mean, weights.sum() * sizes[1], x)
        weights = weights * rows
        mean = (loss(x, targets).mean(1) * weights).sum() / weights.sum()
        line(f"{name}.both", mean, weights.sum() * sizes[1], x)
        each = masks(sizes)
        line(f"{name}.elements", loss(x, targets)[each].mean(), int(each.sum()), x)

    numbers = sines((5, 3), 2.0)
    cases("MSELoss", lambda x, t: F.mse_loss(x, t, reduction="none"), (5, 3), numbers)
    cases("L1Loss", lambda x, t: F.l1_loss(x, t, reduction="none"), (5, 3), numbers)
    cases("HuberLoss", lambda x, t: F.huber_loss(x, t, reduction="none"), (5, 3), numbers)
    for delta in (1e-3, 0.5, 100.0):
        x = sines((5, 3), 0.2).requires_grad_()
        line(f"HuberLoss.{delta}", F.huber_loss(x, numbers, delta=delta), 15, x)

    answers = shares((5, 3))
    bce = lambda x, t, p=None: F.binary_cross_entropy_with_logits(x, t, reduction="none", pos_weight=p)
    cases("BCEWithLogitsLoss", bce, (5, 3), answers)
    x = (sines((5, 3), 0.2) * 30).requires_grad_()
    line("BCEWithLogitsLoss.large", bce(x, answers).mean(), 15, x)
    x = sines((5, 3), 0.2).requires_grad_()
    line("BCEWithLogitsLoss.one_weight", bce(x, answers, torch.tensor([2.5])).mean(), 15, x)
    weights = torch.tensor([0.5, 3.0, 1.25])
    line("BCEWithLogitsLoss.each_weight", bce(x, answers, weights).mean(), 15, x)

    def sigmoid_focal(x, t, gamma=2.0, alpha=None):
        p = torch.sigmoid(x)
        p = p * t + (1 - p) * (1 - t)
        loss = bce(x, t) * (1 - p) ** gamma
        return loss if alpha is None else loss * (alpha * t + (1 - alpha) * (1 - t))

    cases("SigmoidFocalLoss", sigmoid_focal, (5, 3), answers)
    yes_or_no = (answers > 0.5).to(torch.float64)
    for gamma, alpha in ((0.0, None), (0.5, 0.25), (2.0, 0.0), (2.0, 1.0), (5.0, 0.75)):
        x = sines((5, 3), 0.2).requires_grad_()
        line(f"SigmoidFocalLoss.{gamma}.{alpha}",
             sigmoid_focal(x, yes_or_no, gamma, alpha).mean(), 15, x)


def class_losses():
    def cases(name, loss, shift=0):
        """`loss`: of each target, and the weight of it. `shift` is taken off all predictions."""
        def one(case, x, flat, t, keep, weights=None, factors=None):
            each, weight = loss(flat[keep], t[keep], weights)
            factors = torch.ones(len(t)) if factors is None else factors
            weight = weight * factors[keep]
            line(f"{name}.{case}", (each * factors[keep]).sum() / weight.sum(), weight.sum(), x)

        x = (sines((7, 4), 0.2) - shift).requires_grad_()
        t = classes((7,), 4)
        everything = torch.ones(7, dtype=torch.bool)
        one("plain", x, x, t, everything)
        one("masked", x, x, t, masks((7,)))
        one("ignored", x, x, t, t != 1)
        one("weighted", x, x, t, everything, torch.tensor([1.0, 0.25, 3.0, 0.0]))
        one("samples", x, x, t, masks((7,)), torch.tensor([1.0, 0.25, 3.0, 0.5]), sample_weights(7))
        x = (sines((3, 2, 2, 4), 0.2) - shift).requires_grad_()
        t = classes((3, 2, 2), 4)
        rows = masks((3, 2)).unsqueeze(2).expand(3, 2, 2)
        one("places", x, x.reshape(-1, 4), t.reshape(-1), (rows & (t != 2)).reshape(-1))
        x = (sines((3, 4, 2, 2), 0.2) - shift).requires_grad_()
        one("first", x, x.movedim(1, -1).reshape(-1, 4), t.reshape(-1),
            torch.ones(12, dtype=torch.bool))
        if name.count(".") == 0:
            x = (sines((4, 3), 0.2) - 2).requires_grad_()
            one("weight_of_0", x, x, torch.tensor([0, 1, 2, 1]), torch.ones(4, dtype=torch.bool),
                torch.tensor([1.0, 0.0, 0.5]))

    def nll(x, t, w):
        weight = torch.ones(len(t)) if w is None else w[t]
        return -x[torch.arange(len(t)), t] * weight, weight

    cases("NLLLoss", nll, 2)

    def cross_entropy(smoothing):
        return lambda x, t, w: (F.cross_entropy(x, t, w, reduction="none", label_smoothing=smoothing),
                                torch.ones(len(t)) if w is None else w[t])

    cases("CrossEntropyLoss", cross_entropy(0.0))
    cases("CrossEntropyLoss.smooth", cross_entropy(0.1))
    cases("CrossEntropyLoss.flat", cross_entropy(1.0))

    def focal(gamma):
        def loss(x, t, w):
            p = torch.softmax(x, 1)[torch.arange(len(t)), t]
            alpha = torch.ones(len(t)) if w is None else w[t]
            return -alpha * (1 - p) ** gamma * torch.log(p), torch.ones(len(t))
        return loss

    cases("FocalLoss", focal(2.0))
    cases("FocalLoss.zero", focal(0.0))
    cases("FocalLoss.half", focal(0.5))


def soft_losses():
    def case(name, keep, factors, w=None, smoothing=0.0, phase=1.0):
        x = sines((7, 4), 0.2).requires_grad_()
        shares = torch.softmax(sines((7, 4), phase), 1)
        each = F.cross_entropy(x[keep], shares[keep], w, reduction="none", label_smoothing=smoothing)
        weights = factors[keep]
        line(f"SoftCrossEntropyLoss.{name}", (each * weights).sum() / weights.sum(), weights.sum(), x)

    everything, rows, ones = torch.ones(7, dtype=torch.bool), masks((7,)), torch.ones(7)
    w = torch.tensor([1.0, 0.25, 3.0, 0.0])
    case("plain", everything, ones)
    case("smooth", everything, ones, None, 0.1)
    case("masked", rows, ones)
    case("weighted", everything, ones, w)
    case("samples", rows, sample_weights(7), w, 0.1)


def dice_losses():
    def dice(p, t, smooth, squared, w):
        p, t = p.flatten(1), t.flatten(1)
        below = (p ** 2).sum(1) + (t ** 2).sum(1) if squared else p.sum(1) + t.sum(1)
        each = 1 - (2 * (p * t).sum(1) + smooth) / (below + smooth)
        return (each * w).sum() / w.sum()

    ones = torch.ones(3)
    x = sines((4, 3, 2, 5), 0.2).requires_grad_()
    t = classes((4, 2, 5), 3)
    one_hot = F.one_hot(t, 3).movedim(-1, 1).to(torch.float64)

    def classes_of(i, smooth=1.0, squared=False, w=ones, keep=None):
        p, wanted = torch.softmax(x[i], 0).flatten(1), one_hot[i].flatten(1)
        if keep is not None:
            p, wanted = p[:, keep[i].flatten()], wanted[:, keep[i].flatten()]
        return dice(p, wanted, smooth, squared, w)

    def mean(losses, weights):
        return sum(l * w for l, w in zip(losses, weights)) / sum(weights)

    line("DiceLoss.plain", mean([classes_of(i) for i in range(4)], [1] * 4), 4, x)
    line("DiceLoss.v_net", mean([classes_of(i, 0.0, True) for i in range(4)], [1] * 4), 4, x)
    line("DiceLoss.masked", mean([classes_of(i) for i in (0, 2, 3)], [1] * 3), 3, x)
    line("DiceLoss.weighted", mean([classes_of(i) for i in range(4)], [0.5, 1, 1.5, 2]), 5, x)
    line("DiceLoss.classes",
         mean([classes_of(i, w=torch.tensor([0.0, 1.0, 2.5])) for i in range(4)], [1] * 4), 4, x)
    line("DiceLoss.ignored", mean([classes_of(i, keep=t != 1) for i in range(4)], [1] * 4), 4, x)
    areas = shares((4, 3, 2, 5)).round()
    line("DiceLoss.multilabel",
         mean([dice(torch.sigmoid(x[i]), areas[i], 1.0, False, ones) for i in range(4)], [1] * 4),
         4, x)
    x1 = sines((4, 3, 6), 0.2).requires_grad_()
    areas1 = shares((4, 3, 6))
    line("DiceLoss.one_dimension",
         mean([dice(torch.sigmoid(x1[i]), areas1[i], 0.5, True, ones) for i in (0, 2, 3)], [1] * 3),
         3, x1)
    x2 = sines((2, 2, 2, 5), 0.0).requires_grad_()
    wanted = F.one_hot(classes((2, 2, 5), 2)[1], 2).movedim(-1, 0).to(torch.float64)
    line("DiceLoss.one_of_two", dice(torch.softmax(x2[1], 0), wanted, 1.0, False, torch.ones(2)), 1, x2)


STREAMS = ("anchors", "positives", "negatives")


def triplet_losses():
    a, p, n = [sines((5, 3), phase).requires_grad_() for phase in (0.2, 0.9, 1.1)]
    for norm in (1.0, 2.0, 3.5):
        for swap in (False, True):
            each = F.triplet_margin_loss(a, p, n, margin=0.8, p=norm, swap=swap, reduction="none")
            line(f"TripletLoss.{norm}.{'swap' if swap else 'keep'}", each.mean(), 5, a, p, n,
                 of=STREAMS)
    each = F.triplet_margin_loss(a, p, n, reduction="none")
    rows = masks((5,))
    line("TripletLoss.masked", each[rows].mean(), 3, a, p, n, of=STREAMS)
    weights = sample_weights(5)
    line("TripletLoss.weighted", (each * weights).sum() / weights.sum(), weights.sum(), a, p, n,
         of=STREAMS)


PAIRS = ("image_embeddings", "text_embeddings")


def clip_losses(u, v, scale, left_out=None):
    """Of each sample, as transformers' clip_loss has it for all; `left_out`: true for pairs that are not in the sums."""
    logits = scale * F.normalize(u) @ F.normalize(v).t()
    if left_out is not None:
        logits = logits.masked_fill(left_out, -torch.inf)
    own = torch.arange(len(u))
    return (F.cross_entropy(logits, own, reduction="none") + F.cross_entropy(logits.t(), own, reduction="none")) / 2


def contrastive_losses():
    u, v = [sines((5, 3), phase).requires_grad_() for phase in (0.2, 1.7)]

    def save(name, loss, weight, scale, *more, of=()):
        line(f"ContrastiveLoss.{name}", loss, weight, u, v, *more, of=PAIRS + of)
        tables["ContrastiveLoss"][name]["collected.scale"] = float(scale)

    for temperature in (0.07, 0.5):
        save(str(temperature), clip_losses(u, v, 1 / temperature).mean(), 5, 1 / temperature)
    for name, start in (("learned", 1.5), ("at_the_bound", 2.5)):
        free = torch.tensor(start, requires_grad=True)
        scale = (free + (free.clamp(max=2.0) - free).detach()).exp()
        save(name, clip_losses(u, v, scale).mean(), 5, scale.detach(), free, of=("logit_scale",))
    rows = masks((5,))
    save("masked", clip_losses(u[rows], v[rows], 2.0).mean(), 3, 2.0)
    weights = sample_weights(5)
    save("weighted", (clip_losses(u, v, 2.0) * weights).sum() / weights.sum(), weights.sum(), 2.0)
    labels = torch.tensor([3, 1, 3, 2, 1])
    same = (labels[:, None] == labels) & ~torch.eye(5, dtype=torch.bool)
    save("labels", clip_losses(u, v, 2.0, same).mean(), 5, 2.0)


element_losses()
class_losses()
soft_losses()
dice_losses()
triplet_losses()
contrastive_losses()
for component, numbers in tables.items():
    file = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=\d)(?=[A-Z])", "_", component).lower()
    case_numbers.write(file, "losses.py", numbers, 13)
