#!/usr/bin/python3
"""Writes learning_rates.txt: what PyTorch's schedulers make of a learning rate and of momentum.

Needs Debian's python3-torch:  ./learning_rates.py > learning_rates.txt
A line is a name and the rates in use from the first episode or epoch on, or the momenta; those of
"weights_..." are two weights after each episode, one after the other.
"""
import math

import torch
from torch.optim import lr_scheduler as s


def rates(name, base, count, make, step=lambda scheduler, i: scheduler.step()):
    parameter = torch.nn.Parameter(torch.zeros(1))
    optimizer = torch.optim.SGD([parameter], lr=base)
    scheduler = make(optimizer)
    found = []
    for i in range(count):
        found.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        step(scheduler, i)
    print(name, *[repr(rate) for rate in found])


rates("StepLR", 0.5, 10, lambda o: s.StepLR(o, step_size=3, gamma=0.1))
rates("MultiStepLR", 0.5, 10, lambda o: s.MultiStepLR(o, milestones=[2, 5, 6], gamma=0.3))
rates("ExponentialLR", 0.5, 10, lambda o: s.ExponentialLR(o, gamma=0.9))
rates("LinearLR", 0.5, 8, lambda o: s.LinearLR(o, start_factor=0.2, total_iters=5))
rates("CosineAnnealingLR", 0.5, 10, lambda o: s.CosineAnnealingLR(o, T_max=4, eta_min=0.01))
rates("cosine", 0.5, 30, lambda o: s.CosineAnnealingWarmRestarts(o, T_0=3, T_mult=1, eta_min=0.01),
      lambda scheduler, i: scheduler.step((i + 1) / 4))
rates("cosine_longer", 0.5, 60,
      lambda o: s.CosineAnnealingWarmRestarts(o, T_0=2, T_mult=2, eta_min=0.0),
      lambda scheduler, i: scheduler.step((i + 1) / 4))
rates("one_cycle", 0.1, 20, lambda o: s.OneCycleLR(o, max_lr=0.1, total_steps=21))
rates("one_cycle_linear", 0.1, 20,
      lambda o: s.OneCycleLR(o, max_lr=0.1, total_steps=21, pct_start=0.25,
                             anneal_strategy="linear", div_factor=10, final_div_factor=100))
rates("one_cycle_three", 0.1, 20,
      lambda o: s.OneCycleLR(o, max_lr=0.1, total_steps=21, pct_start=0.4, three_phase=True))

# PyTorch counts the steps of these schedulers, which are episodes.
rates("PolynomialLR", 0.5, 13, lambda o: s.PolynomialLR(o, total_iters=10, power=0.9))
rates("PolynomialLR_linear", 0.5, 7, lambda o: s.PolynomialLR(o, total_iters=5))
CYCLES = {
    "triangular": {"step_size_up": 3, "step_size_down": 5},
    "triangular2": {"step_size_up": 4, "mode": "triangular2"},
    "exp_range": {"step_size_up": 5, "step_size_down": 2, "mode": "exp_range", "gamma": 0.9},
}
for mode, options in CYCLES.items():
    rates(f"CyclicLR_{mode}", 0.1, 20,
          lambda o: s.CyclicLR(o, base_lr=0.1, max_lr=0.5, cycle_momentum=False, **options))
# One step is an epoch, of 4 episodes.
rates("LambdaLR_power", 0.5, 10, lambda o: s.LambdaLR(o, lambda epoch: 0.95 ** epoch))
rates("LambdaLR_functions", 0.5, 10, lambda o: s.LambdaLR(
    o, lambda epoch: min(1, (epoch + 1) / 3) * (1 + math.cos(math.pi * epoch / 10)) / 2
    + 1e-3 * max(0, epoch - 4, 2 - epoch) + math.sqrt(epoch) * math.exp(-epoch) * -2 ** -3 + .5))


def momenta(name, make):
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=0.1, momentum=0.9)
    scheduler = make(optimizer)
    found = []
    for _ in range(20):
        found.append(optimizer.param_groups[0]["momentum"])
        optimizer.step()
        scheduler.step()
    print(name, *[repr(momentum) for momentum in found])


def weights(name, make):
    """Of a loss of 1.5 a^2 - b + b^2, from a = 1 and b = -2."""
    pair = torch.nn.Parameter(torch.tensor([1.0, -2.0], dtype=torch.float64))
    optimizer = make([pair])
    scheduler = s.OneCycleLR(optimizer, max_lr=0.05, total_steps=9)
    found = []
    for _ in range(8):
        optimizer.zero_grad()
        (1.5 * pair[0] ** 2 - pair[1] + pair[1] ** 2).backward()
        optimizer.step()
        scheduler.step()
        found += pair.tolist()
    print(name, *[repr(weight) for weight in found])


momenta("momentum", lambda o: s.OneCycleLR(o, max_lr=0.1, total_steps=21))
momenta("momentum_linear",
        lambda o: s.OneCycleLR(o, max_lr=0.1, total_steps=21, pct_start=0.25,
                               anneal_strategy="linear", base_momentum=0.5, max_momentum=0.75))
momenta("momentum_three",
        lambda o: s.OneCycleLR(o, max_lr=0.1, total_steps=21, pct_start=0.4, three_phase=True))
for mode, options in CYCLES.items():
    momenta(f"momentum_CyclicLR_{mode}",
            lambda o: s.CyclicLR(o, base_lr=0.1, max_lr=0.5, base_momentum=0.6, max_momentum=0.85,
                                 **options))
weights("weights_SGD", lambda p: torch.optim.SGD(p, lr=0.05))
weights("weights_RMSprop", lambda p: torch.optim.RMSprop(p, lr=0.05))
weights("weights_Adam", lambda p: torch.optim.Adam(p, lr=0.05))
weights("weights_AdamW", lambda p: torch.optim.AdamW(p, lr=0.05))
weights("weights_Adamax", lambda p: torch.optim.Adamax(p, lr=0.05))
weights("weights_RAdam", lambda p: torch.optim.RAdam(p, lr=0.05))

LOSSES = [1.0, 0.9, 0.9, 0.91, 0.95, 0.8999, 0.5, 0.5, 0.5, 0.5, 0.6, 0.7, 0.8, 0.49, 0.5, 0.5, 0.5,
          0.5, 0.5, 0.5]
for mode, cooldown in (("rel", 0), ("abs", 2)):
    rates(f"plateau_{mode}", 0.5, len(LOSSES),
          lambda o: s.ReduceLROnPlateau(o, factor=0.5, patience=2, threshold=0.01,
                                        threshold_mode=mode, cooldown=cooldown, min_lr=0.1),
          lambda scheduler, i: scheduler.step(LOSSES[i]))
for mode in ("rel", "abs"):
    rates(f"plateau_max_{mode}", 0.5, len(LOSSES),
          lambda o: s.ReduceLROnPlateau(o, mode="max", factor=0.5, patience=1, threshold=0.1,
                                        threshold_mode=mode, min_lr=0.01),
          lambda scheduler, i: scheduler.step(1 - LOSSES[i]))
