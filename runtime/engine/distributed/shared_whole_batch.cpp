// The gathered rows as an operation of libtorch's autograd.

#include "engine/distributed/shared_whole_batch.hpp"

#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>
#include <fmt/core.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cstddef>

namespace ptp::engine {

namespace {

class GatheredRows : public torch::autograd::Function<GatheredRows> {
public:
    static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& own,
                              std::int64_t whole, std::int64_t first, std::int64_t place,
                              std::int64_t number, std::int64_t batch) {
        context->saved_data["first"] = first;
        context->saved_data["count"] = own.size(0);
        context->saved_data["place"] = place;
        context->saved_data["number"] = number;
        context->saved_data["batch"] = batch;
        std::vector<std::int64_t> sizes = own.sizes().vec();
        sizes[0] = whole;
        const at::Tensor all = at::zeros(sizes, own.options().dtype(at::kDouble));
        all.narrow(0, first, own.size(0)).copy_(own);
        of(batch).sum(all.view(-1), {place, number});
        return all.to(own.scalar_type());
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   torch::autograd::variable_list gradients) {
        SharedWholeBatch& batch = of(context->saved_data["batch"].toInt());
        if (c10::GradMode::is_enabled()) {
            batch.refuse_second_derivative();
        }
        const at::Tensor& gradient = gradients[0];
        const at::Tensor sums = gradient.to(at::kDouble, false, true, at::MemoryFormat::Contiguous);
        batch.sum(sums.view(-1),
                  {context->saved_data["place"].toInt(), context->saved_data["number"].toInt()});
        return {sums.narrow(0, context->saved_data["first"].toInt(),
                            context->saved_data["count"].toInt())
                    .to(gradient.scalar_type()),
                {},
                {},
                {},
                {},
                {}};
    }

private:
    static SharedWholeBatch& of(std::int64_t batch) {
        return *reinterpret_cast<SharedWholeBatch*>(batch);  // NOLINT
    }
};

}  // namespace

WholeBatch::Rows SharedWholeBatch::gather(const at::Tensor& own, const std::string& asker) {
    if (!sums_.is_open()) {
        return {own, 0};
    }
    const auto name = std::ranges::find(names_, asker);
    const PassSums::Place place = sums_.reach(1 + (name - names_.begin()));
    return {GatheredRows::apply(own, static_cast<std::int64_t>(share_.whole),
                                static_cast<std::int64_t>(share_.first), place.place, place.number,
                                reinterpret_cast<std::int64_t>(this)),  // NOLINT
            share_.first};
}

void SharedWholeBatch::refuse_second_derivative() {
    sums_.refuse({"a second derivative through the rows of other processes cannot be computed",
                  "train in one process"});
}

Explanation SharedWholeBatch::differing(const PassSums::Place& place, std::uint64_t rank) const {
    return {
        fmt::format("the processes gather rows in different places: rank {} for '{}', the {}. "
                    "in its forward pass, another one for another",
                    rank, names_.at(static_cast<std::size_t>(place.number - 1)), place.place),
        "let each process gather equally often and in the same order, whatever its samples are, "
        "or train in one process"};
}

Explanation SharedWholeBatch::differing_announced() const {
    return {
        "the processes gather rows in different places, because not all of them have a sample "
        "of this batch, or something that counts for each loss",
        "let each loss depend on the gathered rows, as their sum times 0 where nothing counts, "
        "or train in one process"};
}

}  // namespace ptp::engine
