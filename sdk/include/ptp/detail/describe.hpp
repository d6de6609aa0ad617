// The C description of a component, made from its declarations.
#pragma once

#include <ptp/detail/signature.hpp>
#include <ptp/settings.hpp>

#include <deque>
#include <string>
#include <vector>

namespace ptp::detail {

// Owns the parts of the description, whose addresses do not change.
class Description {
public:
    Description() = default;
    ~Description() = default;
    Description(const Description&) = delete;
    Description& operator=(const Description&) = delete;

    const ptp_component_info& info() const { return info_; }

    template <class T>
    void declare() {
        info_.struct_size = sizeof(ptp_component_info);
        info_.kind = T::kind;
        info_.name = T::name;
        info_.summary = T::summary;
        if constexpr (requires { T::description; }) {
            info_.description = T::description;
        }
        if constexpr (requires { typename T::Config; }) {
            info_.settings = declare_settings(typename T::Config(), info_.setting_count);
        }
        for (const Port& port : ports_of<T>()) {
            declare(port);
        }
        if constexpr (requires { T::globals; }) {
            for (const Global& global : T::globals) {
                declare(global);
            }
        }
        if constexpr (requires { T::statistics; }) {
            for (const Statistic& statistic : T::statistics) {
                declare(statistic);
            }
        }
        if constexpr (requires { T::requirements; }) {
            for (const Requirement& requirement : T::requirements) {
                declare(requirement);
            }
        }
        if constexpr (requires { T::sample_count; }) {
            info_.sample_count = T::sample_count;
        }
        finish();
    }

    ptp_component_info& functions() { return info_; }

private:
    using SettingPointers = std::vector<const ptp_setting_info*>;

    template <class Config>
    const ptp_setting_info* const* declare_settings(const Config& defaults, std::uint32_t& count) {
        SettingPointers pointers;
        const auto declare = [&](const auto& setting) {
            pointers.push_back(declare_setting(setting, defaults.*setting.member));
        };
        std::apply([&](const auto&... each) { (declare(each), ...); }, Config::settings());
        count = static_cast<std::uint32_t>(pointers.size());
        return setting_lists_.emplace_back(std::move(pointers)).data();
    }

    template <class Owner, class Member>
    const ptp_setting_info* declare_setting(const Setting<Owner, Member>& setting,
                                            const Member& default_value) {
        using Innermost = typename SettingType<Member>::Innermost;
        ptp_setting_info info{};
        info.struct_size = sizeof(info);
        info.type = setting_type<Member>(setting.text.choices != nullptr);
        info.list_depth = SettingType<Member>::depth;
        if (setting.text.is_required) {
            info.flags |= PTP_SETTING_REQUIRED;
        }
        if (setting.text.takes_list_or_one) {
            info.flags |= PTP_SETTING_LIST_OR_ONE;
        }
        if (setting.text.is_output_file) {
            info.flags |= PTP_SETTING_OUTPUT_FILE;
        }
        if (setting.text.takes_unlabeled) {
            info.flags |= PTP_SETTING_UNLABELED;
        }
        if (setting.text.is_preparation) {
            info.flags |= PTP_SETTING_PREPARATION;
        }
        info.name = setting.name;
        info.range = setting.text.range;
        info.length = setting.text.length;
        info.choices = setting.text.choices;
        info.help = setting.text.help;
        info.obtain = setting.text.obtain;
        info.purpose = setting.text.purpose;
        const Data value = to_data(default_value, setting.text);
        if (!setting.text.is_required && !value.is_absent()) {
            info.default_value = texts_.emplace_back(value.toml()).c_str();
        }
        if constexpr (std::is_same_v<Member, Innermost> && HasSettings<Innermost>) {
            info.members = declare_settings(default_value, info.member_count);
        } else if constexpr (HasSettings<Innermost>) {
            info.members = declare_settings(Innermost(), info.member_count);
        }
        return &settings_.emplace_back(info);
    }

    void declare(const Port& port) {
        ports_.push_back({.struct_size = sizeof(ptp_port_info),
                          .direction = port.direction,
                          .element = port.element,
                          .flags = port.flags,
                          .name = port.name,
                          .shape = port.shape,
                          .when = port.condition,
                          .streams_setting = port.streams_setting,
                          .help = port.help,
                          .meaning = port.numbers,
                          .purpose = port.use,
                          .reserved = 0});
        port_list_.push_back(&ports_.back());
    }

    void declare(const Global& global) {
        globals_.push_back({.struct_size = sizeof(ptp_global_info),
                            .access = global.access,
                            .name = global.name,
                            .value = global.known_value,
                            .when = global.condition,
                            .help = global.help,
                            .purpose = global.use,
                            .reserved = 0});
        global_list_.push_back(&globals_.back());
    }

    void declare(const Statistic& statistic) {
        statistics_.push_back({.struct_size = sizeof(ptp_statistic_info),
                               .aggregation = statistic.aggregation,
                               .flags = statistic.flags,
                               .decimals = statistic.digits,
                               .name = statistic.name,
                               .weight = statistic.weight,
                               .when = statistic.condition,
                               .help = statistic.help});
        statistic_list_.push_back(&statistics_.back());
    }

    void declare(const Requirement& requirement) {
        requirements_.push_back({.struct_size = sizeof(ptp_requirement_info),
                                 .relation = requirement.relation,
                                 .message = requirement.message,
                                 .when = requirement.condition});
        requirement_list_.push_back(&requirements_.back());
    }

    void finish() {
        info_.ports = port_list_.data();
        info_.port_count = static_cast<std::uint32_t>(port_list_.size());
        info_.globals = global_list_.data();
        info_.global_count = static_cast<std::uint32_t>(global_list_.size());
        info_.statistics = statistic_list_.data();
        info_.statistic_count = static_cast<std::uint32_t>(statistic_list_.size());
        info_.requirements = requirement_list_.data();
        info_.requirement_count = static_cast<std::uint32_t>(requirement_list_.size());
    }

    ptp_component_info info_{};
    std::deque<ptp_setting_info> settings_;
    std::deque<SettingPointers> setting_lists_;
    std::deque<std::string> texts_;
    std::deque<ptp_port_info> ports_;
    std::deque<ptp_global_info> globals_;
    std::deque<ptp_statistic_info> statistics_;
    std::deque<ptp_requirement_info> requirements_;
    std::vector<const ptp_port_info*> port_list_;
    std::vector<const ptp_global_info*> global_list_;
    std::vector<const ptp_statistic_info*> statistic_list_;
    std::vector<const ptp_requirement_info*> requirement_list_;
};

}  // namespace ptp::detail
