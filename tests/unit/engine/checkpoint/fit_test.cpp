#include "engine/checkpoint/fit.hpp"

#include <ATen/ops/arange.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace fit_test {

using namespace ptp::engine;

namespace {

NamedTensor own(const std::string& name, const at::Tensor& tensor) {
    return {.name = name, .tensor = tensor};
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("fit: numbers of fewer bits are widened, and none but doubles are narrowed") {
    const at::Tensor single = at::zeros({2});
    const at::Tensor wide = at::zeros({2}, at::kDouble);
    const at::Tensor half = at::zeros({2}, at::kHalf);
    const at::Tensor whole = at::zeros({2}, at::kLong);
    const Target target{"'net' (T)",
                        {own("a", single), own("b", wide), own("c", half), own("d", whole)}};
    const SavedWeights saved{{{"a", at::full({2}, 1.5, at::kBFloat16)},
                              {"b", at::full({2}, 2.5, at::kHalf)},
                              {"c", at::ones({2})},
                              {"d", at::ones({2}, at::kInt)}},
                             {},
                             false};
    const Fit fit = fit_freely(share_of(saved, ""), target, {});
    CHECK(fit.problems == Texts{"c: is Float [2] in the file, must be Half [2]",
                                "d: is Int [2] in the file, must be Long [2]"});
    CHECK(fit.notes ==
          Texts{"a: is BFloat16 in the file, Float here", "b: is Half in the file, Double here"});
    fill_tensors(fit, Filling::kCopied);
    CHECK(single.equal(at::full({2}, 1.5F)));
    CHECK(wide.equal(at::full({2}, 2.5, at::kDouble)));
    // A checkpoint is taken as it is or not at all.
    CHECK(fit_exactly(share_of(saved, ""), target).problems.size() == 4);
}

TEST_CASE("fit: doubles are rounded to floats, unless one is beyond their range") {
    const at::Tensor weight = at::zeros({2});
    const at::Tensor bias = at::zeros({3});
    const Target target{"'net' (T)", {own("weight", weight), own("bias", bias)}};
    // 16777217 is halfway between the floats 16777216 and 16777218; the even one is nearest.
    const std::vector<double> numbers = {16777217.0, 0.1};
    SavedWeights saved{{{"weight", at::tensor(numbers, at::kDouble)},
                        {"bias", at::full({3}, HUGE_VAL, at::kDouble)}},
                       {},
                       false};
    const Fit fit = fit_freely(share_of(saved, ""), target);
    CHECK(fit.problems == Texts());
    CHECK(fit.notes == Texts{"weight: is Double in the file, rounded to Float here",
                             "bias: is Double in the file, rounded to Float here"});
    CHECK(fit.rounded == 2);
    fill_tensors(fit, Filling::kCopied);
    CHECK(weight[0].item<float>() == 16777216.0F);
    CHECK(weight[1].item<float>() == 0.1F);
    CHECK(bias.isinf().all().item<bool>());
    CHECK(fit_exactly(share_of(saved, ""), target).problems ==
          Texts{"weight: is Double [2] in the file, must be Float [2]",
                "bias: is Double [3] in the file, must be Float [3]"});

    saved.tensors[0].second[1] = -1e39;  // floats end at 3.4e38
    const Fit beyond = fit_freely(share_of(saved, ""), target);
    CHECK(
        beyond.problems ==
        Texts{
            "weight: has -1e+39 in the file, which is beyond the range of float32 (strict = false leaves it out)"});
    CHECK(beyond.rounded == 1);

    saved.tensors[0].second = at::zeros({1, 2}, at::kDouble);
    CHECK(fit_freely(share_of(saved, ""), target).problems ==
          Texts{"weight: is Double [1, 2] in the file, must be Float [2]"});
}

TEST_CASE("fit: a file of PyTorch that counts no batches is older than such counters") {
    const at::Tensor count = at::full({}, 9, at::kLong);
    const Target target{
        "'net' (T)",
        {own("bn.running_mean", at::zeros({2})), own("bn.num_batches_tracked", count)}};
    SavedWeights saved{{{"bn.running_mean", at::ones({2})}}, {}, true};
    const Fit fit = fit_freely(share_of(saved, ""), target, {});
    CHECK(fit.problems.empty());
    CHECK(fit.notes == Texts{"bn.num_batches_tracked: is 0, the file is older than such counters"});
    fill_tensors(fit, Filling::kCopied);
    CHECK(count.item<int64_t>() == 0);

    const Texts missing = {"bn.num_batches_tracked: is missing, Long []"};
    saved.is_from_torch = false;
    CHECK(fit_freely(share_of(saved, ""), target, {}).problems == missing);
    saved.is_from_torch = true;
    CHECK(fit_exactly(share_of(saved, ""), target).problems == missing);
    saved.tensors.emplace_back("other.num_batches_tracked", at::ones({}, at::kLong));
    CHECK(fit_freely(share_of(saved, ""), target, {{"other"}}).problems == missing);
}

TEST_CASE("fit: exceptions are left out on both sides, and one that is nothing is a problem") {
    const Target target{"'net' (T)",
                        {own("conv.weight", at::zeros({2})), own("fc.weight", at::zeros({3})),
                         own("fc.bias", at::zeros({3})), own("fcc", at::zeros({1}))}};
    const SavedWeights saved{{{"conv.weight", at::ones({2})},
                              {"fc.weight", at::ones({9})},
                              {"fcc", at::ones({1})},
                              {"aux.weight", at::ones({1})}},
                             {"epoch"},
                             true};
    const Fit fit = fit_freely(share_of(saved, ""), target, {{"fc", "aux.weight", "epoch"}});
    CHECK(fit.copies.size() == 2);
    CHECK(fit.problems == Texts());
    CHECK(fit_freely(share_of(saved, ""), target, {{"aux", "epoch"}}).misfits == Texts{"fc"});
    CHECK(fit_freely(share_of(saved, ""), target, {{"fc", "epoch"}}).surplus == Texts{"aux"});
    CHECK(fit_freely(share_of(saved, ""), target, {{"fc", "aux", "epoch", "convv"}}).problems ==
          Texts{"except: unknown name 'convv'; did you mean 'conv'?"});
}

TEST_CASE("fit: values that are not tensors are said") {
    const Target target{"'net' (T)", {own("a", at::zeros({2}))}};
    const SavedWeights saved{{{"s.a", at::ones({2})}, {"b", at::ones({2})}}, {"s.epoch"}, true};
    CHECK(fit_freely(share_of(saved, "s"), target, {}).problems ==
          Texts{"epoch: is not a tensor in the file"});
    CHECK(fit_freely(share_of(saved, ""), target, {}).problems ==
          Texts{"a: is missing, Float [2]", "b: 'net' (T) has no such tensor, Float [2]",
                "s.a: 'net' (T) has no such tensor, Float [2]",
                "s.epoch: is not a tensor in the file"});
}

TEST_CASE("fit: what stands before the names in a file is found") {
    const std::vector<NamedTensor> tensors = {own("0.weight", at::zeros({1})),
                                              own("0.bias", at::zeros({1}))};
    const auto prefix = [&](const Texts& names) {
        SavedWeights saved;
        for (const std::string& name : names) {
            saved.tensors.emplace_back(name, at::zeros({1}));
        }
        return prefix_of(saved, tensors).value_or("none");
    };
    CHECK(prefix({"0.weight", "0.bias"}) == "");
    CHECK(prefix({"state_dict.0.weight", "state_dict.0.bias", "x.0.bias"}) == "state_dict");
    CHECK(prefix({"a.module.0.weight"}) == "a.module");
    CHECK(prefix({"1.weight", "00.weight", ".", ""}) == "none");
}

TEST_CASE("fit: masks and numbers of positions in published files of transformers are left out") {
    const at::Tensor one = at::zeros({1});
    const Target target{
        "'net' (T)", {own("h.0.attn.c_attn.weight", one), own("position_embeddings.weight", one)}};
    const SavedWeights saved{{{"h.0.attn.c_attn.weight", one},
                              {"h.0.attn.bias", at::ones({1, 1, 2, 2})},
                              {"h.0.attn.masked_bias", one},
                              {"position_embeddings.weight", one},
                              {"position_ids", one}},
                             {}};
    const Fit fit = fit_freely(share_of(saved, ""), target);
    CHECK(fit.problems == Texts{});
    CHECK(fit.copies.size() == 2);
    CHECK(fit.notes == Texts{"h.0.attn.bias: is left out, it is no weight",
                             "h.0.attn.masked_bias: is left out, it is no weight",
                             "position_ids: is left out, it is no weight"});
    const SavedWeights other{{{"h.0.attn.bias", one}}, {}};
    CHECK(fit_freely(share_of(other, ""), {"'net' (T)", {}}).problems ==
          Texts{"h.0.attn.bias: 'net' (T) has no such tensor, Float [1]"});
}

TEST_CASE("fit: the old names of normalizations in files of transformers become today's") {
    const at::Tensor one = at::zeros({1});
    const Target target{"'net' (T)",
                        {own("a.LayerNorm.weight", one), own("a.LayerNorm.bias", one)}};
    const SavedWeights saved{{{"a.LayerNorm.gamma", one}, {"a.LayerNorm.beta", one}}, {}};
    const Fit fit = fit_freely(share_of(saved, ""), target);
    CHECK(fit.problems == Texts{});
    CHECK(fit.notes == Texts{"a.LayerNorm.beta: is a.LayerNorm.bias here",
                             "a.LayerNorm.gamma: is a.LayerNorm.weight here"});
    CHECK(fit_exactly(share_of(saved, ""), target).problems.size() == 4);
    const Target own_names{"'net' (T)", {own("LayerNorm.gamma", one)}};
    const SavedWeights of_own{{{"LayerNorm.gamma", one}}, {}};
    CHECK(fit_freely(share_of(of_own, ""), own_names).notes == Texts{});
}

TEST_CASE(
    "fit: in place, a tensor takes the memory of the saved one, unless others look at its own") {
    const at::Tensor plain = at::zeros({16});
    const at::Tensor viewed = at::zeros({16});
    const at::Tensor view = viewed.detach();
    std::vector<float> numbers(16);
    const at::Tensor foreign = at::from_blob(numbers.data(), {16});
    const at::Tensor wide = at::zeros({16}, at::kDouble);
    const at::Tensor shifted = at::zeros({16});
    const at::Tensor again = at::zeros({16});
    const at::Tensor part = at::zeros({16});
    const at::Tensor saved = at::arange(16, at::kFloat);
    const at::Tensor many = at::arange(32, at::kFloat);
    const auto equal = [] { return at::arange(16, at::kFloat); };
    at::Tensor memory = at::zeros({32});
    const at::Tensor unaligned = at::from_blob(memory.data_ptr<float>() + 1, {16});
    unaligned.copy_(saved);
    const std::vector<std::pair<at::Tensor, at::Tensor>> copies = {
        {plain, saved},       {viewed, equal()}, {foreign, equal()},           {wide, equal()},
        {shifted, unaligned}, {again, saved},    {part, many.narrow(0, 0, 16)}};
    const void* const before = plain.data_ptr();
    fill_tensors({.copies = copies, .problems = {}, .notes = {}}, Filling::kInPlace);
    for (const auto& [to, from] : copies) {
        CHECK(to.to(at::kFloat).equal(equal()));
        CHECK((to.data_ptr() == from.data_ptr()) == to.is_same(plain));
    }
    CHECK(plain.data_ptr() != before);
    CHECK(view.equal(equal()));
    CHECK(numbers[15] == 15);
}

TEST_CASE("fit: a tensor in the memory of a saved one outlives it, and can grow") {
    const at::Tensor own = at::zeros({16});
    bool is_freed = false;
    alignas(64) float memory[16] = {1, 2, 3};
    {
        const at::Tensor saved =
            at::from_blob(memory, {16}, [&](void* /*data*/) { is_freed = true; });
        fill_tensors({.copies = {{own, saved}}, .problems = {}, .notes = {}}, Filling::kInPlace);
    }
    CHECK_FALSE(is_freed);
    CHECK(own.data_ptr() == memory);
    own.add_(1);
    CHECK(memory[2] == 4);
    own.resize_({64});
    CHECK(is_freed);
    CHECK(own[2].item<float>() == 4);
}

}  // namespace fit_test
