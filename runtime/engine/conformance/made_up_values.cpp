#include "engine/conformance/made_up_values.hpp"

#include "pipeline/sizes.hpp"

#include <ATen/ops/log_softmax.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>

#include <cstdint>
#include <string>
#include <vector>

namespace ptp::engine {

namespace {

constexpr std::int64_t kAnySize = 3;  // of a dimension without a name

std::vector<std::int64_t> sizes_of(const pipeline::Plan& plan, const pipeline::Binding& input) {
    if (!input.has_shape) {
        return {kMadeUpBatch, kAnySize};
    }
    std::vector<std::int64_t> sizes;
    for (const pipeline::Dimension& dimension : input.shape) {
        sizes.push_back(dimension.symbol == pipeline::kBatchSymbol
                            ? kMadeUpBatch
                            : pipeline::size_of(plan, dimension).value_or(kAnySize));
    }
    return sizes;
}

at::Tensor reals_of(const std::vector<std::int64_t>& sizes, MadeUpReals reals) {
    if (reals == MadeUpReals::kLogProbabilities && sizes.size() > 1) {
        return at::log_softmax(at::randn(sizes), -1);
    }
    return at::rand(sizes);
}

// Two words for each row, or one.
void fill_text(bool has_rows, Slot& slot) {
    const std::string bytes = "abababab";
    std::vector<std::uint64_t> offsets;
    std::vector<std::uint64_t> rows;
    constexpr auto kRows = static_cast<std::uint64_t>(kMadeUpBatch);
    const std::uint64_t words = has_rows ? 2 * kRows : kRows;
    for (std::uint64_t i = 0; i <= words; ++i) {
        offsets.push_back(i);
    }
    for (std::uint64_t i = 0; has_rows && i <= kRows; ++i) {
        rows.push_back(2 * i);
    }
    slot.text.assign({bytes.data(), offsets.data(), words, has_rows ? rows.data() : nullptr,
                      has_rows ? kRows : 0});
}

void fill_list(const std::vector<std::int64_t>& sizes, MadeUpReals reals, Slot& slot) {
    const std::vector<std::int64_t> of_one(sizes.begin() + (sizes.empty() ? 0 : 1), sizes.end());
    slot.list.resize(static_cast<std::uint64_t>(kMadeUpBatch));
    for (at::Tensor& tensor : slot.list.tensors()) {
        tensor = reals_of(of_one, reals);
    }
}

}  // namespace

void make_up(const pipeline::Plan& plan, const pipeline::Binding& input, MadeUpReals reals,
             Slot& slot) {
    constexpr std::int64_t kClasses = 2;  // a class of these is one of any number of classes
    constexpr std::int64_t kBytes = 256;
    const std::vector<std::int64_t> sizes = sizes_of(plan, input);
    switch (slot.element) {
        case PTP_INTEGER:
            slot.tensor = at::randint(kClasses, sizes, at::kLong);
            break;
        case PTP_BOOL:
            slot.tensor = at::randint(kClasses, sizes, at::kBool);
            break;
        case PTP_BYTE:
            slot.tensor = at::randint(kBytes, sizes, at::kByte);
            break;
        case PTP_STRING:
        case PTP_TOKENS:
            fill_text(slot.element == PTP_TOKENS, slot);
            break;
        case PTP_TENSOR_LIST:
            fill_list(sizes, reals, slot);
            break;
        default:
            slot.tensor = reals_of(sizes, reals);
            break;
    }
}

}  // namespace ptp::engine
