// The form of tensors, and of a saved state, that is sent to another process of the same build; and
// the states of all processes in one checkpoint.

#pragma once

#include "engine/component/saved_state.hpp"
#include "engine/distributed/collective.hpp"

#include <ATen/core/Tensor.h>
#include <c10/util/FunctionRef.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptp::engine {

// Pack tensors, also undefined ones, as the bytes of one, and unpack them in the CPU's memory.
// Unpacking throws RunError (kDataError) for anything that packing has not returned.
at::Tensor packed_tensors(const std::vector<at::Tensor>& tensors);
std::vector<at::Tensor> unpacked_tensors(const at::Tensor& packed);

// Pack and unpack a state in the same way.
std::string packed_state(const SavedState& state);
SavedState unpacked_state(const std::string& packed);

inline constexpr const char* kRanksPart = "ranks";
// Adds what each process after the first saves to the first one's state, as "ranks/1", "ranks/2",
// ... All processes call it; a single one adds nothing.
void add_ranks(SavedState& whole, Collective& collective, const char* what,
               c10::function_ref<SavedState()> own);
// Returns the number of processes that saved a state.
std::uint64_t rank_count(const SavedState& whole);
// Returns the part of a process after the first. Throws RunError with kDataError if it has none.
SavedState part_of_rank(const SavedState& whole, std::uint64_t rank);
// Returns this process's part, if it is not the first one and the same number of processes saved
// the state.
std::optional<SavedState> own_part(const SavedState& whole, const Collective& collective);

}  // namespace ptp::engine
