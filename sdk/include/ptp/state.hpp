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
// The SDK derives export_state() and import_state() from it. The possible types are bool, integers,
// enumerations, float, double, std::string, ptp::Data, ptp::Random, tensors (at::Tensor or, without
// torch, TensorData), structs with state(), and std::vector, std::array, std::optional and std::map
// of these, a map with integers or strings as keys. All bits are restored, and a tensor on the
// device where it was created.
//
// A class whose state changes in a later version declares `static constexpr uint32_t state_version
// = 2`. A member that an older version has not saved keeps the value of the constructor, a removed
// one is dropped, and a list is accepted for a struct in the order of its members. Other changes
// need hand-written export_state() and import_state(), which may use ptp::saved() and
// ptp::restore() for their parts.
#pragma once

#include <ptp/data.hpp>
#include <ptp/detail/state_value.hpp>

#include <cstdint>
#include <string>
#include <tuple>

namespace ptp {

// Declares one member of a struct or class, and the name under which it is saved.
template <class Owner, class Member>
constexpr detail::Kept<Owner, Member> kept(const char* name, Member Owner::*member) {
    return {name, member};
}

// Declares the only member of a class, which is saved as this member: `state()` returns it alone,
// not in a tuple.
template <class Owner, class Member>
constexpr detail::Same<Owner, Member> kept(Member Owner::*member) {
    return {member};
}

// Returns a value as data. T is one of the types above.
template <class T>
requires(detail::can_be_kept<T>()) Data saved(const T& value) {
    return detail::save_value(value);
}

// Sets `value` to the content that saved() returned for another object. Throws DataError with the
// place in the state if `data` has another structure.
template <class T>
requires(detail::can_be_kept<T>()) void restore(const Data& data, T& value) {
    detail::restore_value(data, value, {});
}

}  // namespace ptp
