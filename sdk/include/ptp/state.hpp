// State that lasts from call to call and is not a tensor of module(): named once, and then kept
// through checkpoints, resumes and swaps.
//
//   class MacroF1 {
//       ...
//       static constexpr auto state() {
//           return std::tuple{ptp::kept("sets", &MacroF1::sets_)};
//       }
//   private:
//       struct Counts {
//           int64_t right = 0;
//           at::Tensor confusion;
//           static constexpr auto state() {
//               return std::tuple{ptp::kept("right", &Counts::right),
//                                 ptp::kept("confusion", &Counts::confusion)};
//           }
//       };
//       ptp::BySet<Counts> sets_;  // see ptp/by_set.hpp
//   };
//
// The SDK makes export_state() and import_state() of it. Kept are bool, integers, enumerations,
// float, double, std::string, ptp::Data, ptp::Random, tensors (at::Tensor or, without torch,
// TensorData), structs with state(), and std::vector, std::array, std::optional and std::map of
// these, a map by integers or strings. All bits come back, and a tensor to the device where it was
// made.
//
// What changes its form later declares `static constexpr uint32_t state_version = 2`. A member that
// an older version has not saved keeps what the constructor gave it, one that is gone is dropped,
// and a list is taken for a struct in the order of its members. Other changes need export_state()
// and import_state() of one's own, which may use ptp::saved() and ptp::restore() for their parts.
#pragma once

#include <ptp/data.hpp>
#include <ptp/detail/state_value.hpp>

#include <cstdint>
#include <string>
#include <tuple>

namespace ptp {

// One member of a struct or class, and the name under which it is saved.
template <class Owner, class Member>
constexpr detail::Kept<Owner, Member> kept(const char* name, Member Owner::*member) {
    return {name, member};
}

// Of a class that is saved as this one member is: `state()` returns it alone, not in a tuple.
template <class Owner, class Member>
constexpr detail::Same<Owner, Member> kept(Member Owner::*member) {
    return {member};
}

// A value as data. T is one of the types above.
template <class T>
requires(detail::can_be_kept<T>()) Data saved(const T& value) {
    return detail::save_value(value);
}

// Sets `value` to the content that saved() returned for another object. Throws DataError, which
// states where, if `data` has another structure.
template <class T>
requires(detail::can_be_kept<T>()) void restore(const Data& data, T& value) {
    detail::restore_value(data, value, {});
}

}  // namespace ptp
