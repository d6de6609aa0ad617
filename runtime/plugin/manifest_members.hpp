// The members of all descriptions, each named once: this list is used to read a plugin's descriptor
// (descriptor.cpp), to write and read JSON (manifest_json.cpp), and so to compare them.
//
// visit_members(description, visit) calls visit(key, member, source, rules) for each member, in the
// order of the JSON text.
#pragma once

#include "plugin/manifest.hpp"

#include <concepts>
#include <string_view>
#include <type_traits>

namespace ptp::plugin {

// The bits of `rules`.
inline constexpr unsigned kAlways = 1;    // in JSON even if empty or 0
inline constexpr unsigned kShort = 2;     // part of many messages: at most kMaxNameBytes
inline constexpr unsigned kNullable = 4;  // a text that may be NULL in the descriptor

// The source of a member in the descriptor: a member, a bit of `flags`, a list of pointers with a
// count, or none.
struct Flag {
    std::uint32_t bit;
};
template <class Info, class Item>
struct List {
    const Item* const* Info::*items;
    std::uint32_t Info::*count;
    std::string_view noun;  // names an item in messages: "port"
};
struct Undescribed {};

template <class T, class Description>
concept MaybeConst = std::same_as<std::remove_const_t<T>, Description>;

template <MaybeConst<Setting> T, class Visit>
void visit_members(T& it, Visit& visit) {
    using Info = ptp_setting_info;
    visit("name", it.name, &Info::name, kAlways | kShort);
    visit("type", it.type, &Info::type);
    visit("list_depth", it.list_depth, &Info::list_depth);
    visit("required", it.is_required, Flag{PTP_SETTING_REQUIRED});
    visit("list_or_one", it.takes_list_or_one, Flag{PTP_SETTING_LIST_OR_ONE});
    visit("output_file", it.is_output_file, Flag{PTP_SETTING_OUTPUT_FILE});
    visit("unlabeled", it.takes_unlabeled, Flag{PTP_SETTING_UNLABELED});
    visit("preparation", it.is_preparation, Flag{PTP_SETTING_PREPARATION});
    visit("default_value", it.default_value, &Info::default_value, kNullable);
    visit("range", it.range, &Info::range, kNullable);
    visit("length", it.length, &Info::length, kNullable);
    visit("choices", it.choices, &Info::choices, kNullable);
    visit("members", it.members, List{&Info::members, &Info::member_count, "member"});
    visit("help", it.help, &Info::help);
    visit("obtain", it.obtain, &Info::obtain, kNullable);
    visit("purpose", it.purpose, &Info::purpose);
}

template <MaybeConst<Port> T, class Visit>
void visit_members(T& it, Visit& visit) {
    using Info = ptp_port_info;
    visit("direction", it.direction, &Info::direction);
    visit("name", it.name, &Info::name, kAlways | kShort);
    visit("element", it.element, &Info::element);
    visit("shape", it.shape, &Info::shape);
    visit("optional", it.is_optional, Flag{PTP_PORT_OPTIONAL});
    visit("loss", it.is_loss, Flag{PTP_PORT_LOSS});
    visit("reshaped", it.is_reshaped, Flag{PTP_PORT_RESHAPED});
    visit("when", it.when, &Info::when, kNullable);
    visit("streams_setting", it.streams_setting, &Info::streams_setting, kShort | kNullable);
    visit("help", it.help, &Info::help);
    visit("meaning", it.meaning, &Info::meaning, kNullable);
    visit("purpose", it.purpose, &Info::purpose);
}

template <MaybeConst<Global> T, class Visit>
void visit_members(T& it, Visit& visit) {
    using Info = ptp_global_info;
    visit("access", it.access, &Info::access);
    visit("name", it.name, &Info::name, kAlways | kShort);
    visit("value", it.value, &Info::value, kNullable);
    visit("when", it.when, &Info::when, kNullable);
    visit("help", it.help, &Info::help);
    visit("purpose", it.purpose, &Info::purpose);
}

template <MaybeConst<Statistic> T, class Visit>
void visit_members(T& it, Visit& visit) {
    using Info = ptp_statistic_info;
    visit("name", it.name, &Info::name, kAlways | kShort);
    visit("aggregation", it.aggregation, &Info::aggregation);
    visit("decimals", it.decimals, &Info::decimals, kAlways);
    visit("weight", it.weight, &Info::weight, kShort | kNullable);
    visit("hidden", it.is_hidden, Flag{PTP_STATISTIC_HIDDEN});
    visit("integer", it.is_integer, Flag{PTP_STATISTIC_INTEGER});
    visit("spread", it.has_spread, Flag{PTP_STATISTIC_SPREAD});
    visit("set_only", it.is_set_only, Flag{PTP_STATISTIC_SET_ONLY});
    visit("larger_is_better", it.is_larger_better, Flag{PTP_STATISTIC_LARGER_IS_BETTER});
    visit("smaller_is_better", it.is_smaller_better, Flag{PTP_STATISTIC_SMALLER_IS_BETTER});
    visit("when", it.when, &Info::when, kNullable);
    visit("help", it.help, &Info::help);
}

template <MaybeConst<Requirement> T, class Visit>
void visit_members(T& it, Visit& visit) {
    using Info = ptp_requirement_info;
    visit("relation", it.relation, &Info::relation, kAlways);
    visit("message", it.message, &Info::message, kAlways);
    visit("when", it.when, &Info::when, kNullable);
}

template <MaybeConst<Component> T, class Visit>
void visit_members(T& it, Visit& visit) {
    using Info = ptp_component_info;
    visit("name", it.name, &Info::name, kAlways | kShort);
    visit("kind", it.kind, &Info::kind);
    visit("summary", it.summary, &Info::summary);
    visit("description", it.description, &Info::description, kNullable);
    visit("settings", it.settings, List{&Info::settings, &Info::setting_count, "setting"});
    visit("ports", it.ports, List{&Info::ports, &Info::port_count, "port"});
    visit("globals", it.globals, List{&Info::globals, &Info::global_count, "global"});
    visit("statistics", it.statistics,
          List{&Info::statistics, &Info::statistic_count, "statistic"});
    visit("requirements", it.requirements,
          List{&Info::requirements, &Info::requirement_count, "requirement"});
    visit("sample_count", it.sample_count, &Info::sample_count, kNullable);
    visit("abilities", it.abilities, Undescribed());
}

template <MaybeConst<Build> T, class Visit>
void visit_members(T& it, Visit& visit) {
    using Info = ptp_build;
    visit("libtorch", it.libtorch, &Info::libtorch, kNullable);
    visit("standard_library", it.standard_library, &Info::standard_library);
    visit("sanitizer", it.sanitizer, &Info::sanitizer);
    visit("compiler", it.compiler, &Info::compiler);
}

template <MaybeConst<Manifest> T, class Visit>
void visit_members(T& it, Visit& visit) {
    using Info = ptp_plugin_info;
    visit("abi_major", it.abi_major, &Info::abi_major, kAlways);
    visit("abi_minor", it.abi_minor, &Info::abi_minor, kAlways);
    visit("name", it.name, &Info::name, kAlways | kShort);
    visit("version", it.version, &Info::version, kAlways);
    visit("license", it.license, &Info::license, kNullable);
    visit("author", it.author, &Info::author, kNullable);
    visit("homepage", it.homepage, &Info::homepage, kNullable);
    visit("build", it.build, &Info::build);
    visit("components", it.components,
          List{&Info::components, &Info::component_count, "component"});
}

}  // namespace ptp::plugin
