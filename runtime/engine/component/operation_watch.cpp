// Finds the outermost operations among libtorch's callbacks.

#include "engine/component/operation_watch.hpp"

#include <ATen/core/ivalue.h>

#include <algorithm>
#include <cassert>
#include <memory>
#include <utility>

namespace ptp::engine {

namespace {

OperationWatch*& watch_of_this_thread() {
    thread_local OperationWatch* watch = nullptr;
    return watch;
}

}  // namespace

std::string_view plain_name(std::string_view name) {
    const std::size_t colon = name.rfind(':');
    return colon == name.npos ? name : name.substr(colon + 1);
}

OperationWatch::OperationWatch(OperationReport report) : report_(std::move(report)) {
    assert(watch_of_this_thread() == nullptr);
    watch_of_this_thread() = this;
    const auto begin = [](const at::RecordFunction&) -> std::unique_ptr<at::ObserverContext> {
        // libtorch passes callbacks on to its own threads, which have no watch.
        if (OperationWatch* const watch = watch_of_this_thread(); watch != nullptr) {
            ++watch->depth_;
        }
        return nullptr;
    };
    handle_ = at::addThreadLocalCallback(at::RecordFunctionCallback(begin, &OperationWatch::end)
                                             .needsOutputs(true)
                                             .scopes({at::RecordScope::FUNCTION}));
}

OperationWatch::~OperationWatch() {
    at::removeCallback(handle_);
    watch_of_this_thread() = nullptr;
}

void OperationWatch::end(const at::RecordFunction& function, at::ObserverContext*) {
    OperationWatch* const watch = watch_of_this_thread();
    if (watch != nullptr && --watch->depth_ == 0) {
        const at::DisableRecordFunctionGuard unseen;  // what the receiver computes
        watch->look_at(function);
    }
}

void OperationWatch::look_at(const at::RecordFunction& function) {
    for (const c10::IValue& output : function.outputs()) {
        if (!output.isTensor()) {
            continue;
        }
        const at::Tensor& result = output.toTensor();
        // A view's node may be made anew when it is asked for.
        if (!result.defined() || !result.is_floating_point() || !result.requires_grad() ||
            result.is_view() || result.grad_fn() == nullptr) {
            continue;
        }
        const bool is_known = std::ranges::any_of(reported_, [&](const Reported& reported) {
            return reported.result._unsafe_get_target() == result.unsafeGetTensorImpl() &&
                   reported.version == result._version();
        });
        if (!is_known) {
            reported_.push_back({c10::weak_intrusive_ptr<c10::TensorImpl>(result.getIntrusivePtr()),
                                 result._version()});
            report_(plain_name(function.name()), result);
        }
    }
}

}  // namespace ptp::engine
