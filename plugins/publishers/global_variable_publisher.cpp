// GlobalVariablePublisher: publishes constants that no other component publishes.

#include <ptp/plugin.hpp>

class GlobalVariablePublisher {
public:
    static constexpr ptp_kind kind = PTP_PUBLISHER;
    static constexpr const char* name = "GlobalVariablePublisher";
    static constexpr const char* summary = "Publishes constants as globals";
    static constexpr const char* description =
        "keys = [\"latent_size\", \"splits\"] and values = [100, [3, 4]] publish two globals. "
        "For a single key the value may be given without brackets, unless it is a list.";

    static constexpr std::array globals{
        ptp::publishes("$keys", "The globals that keys names").value("$values")};

    struct Config {
        std::vector<std::string> keys;
        ptp::Data values;

        static constexpr auto settings() {
            return std::tuple{ptp::setting("keys", &Config::keys,
                                           {.help = "Names of the globals",
                                            .length = "[1, inf)",
                                            .is_required = true,
                                            .takes_list_or_one = true}),
                              ptp::setting("values", &Config::values,
                                           {.help = "Their values, one for each key, of any type",
                                            .is_required = true})};
        }
    };

    GlobalVariablePublisher(const Config& config, ptp::Setup& setup) {
        const ptp::Data::List values =
            config.values.is_list() ? config.values.as_list() : ptp::Data::List{config.values};
        if (values.size() != config.keys.size()) {
            throw ptp::SettingError("values", "must be a list of ", config.keys.size(),
                                    ", one value for each of keys, not of ", values.size());
        }
        for (size_t i = 0; i < values.size(); ++i) {
            setup.publish(config.keys[i], values[i]);
        }
    }

    void forward() {}
};

PTP_PLUGIN("publishers", "0.1.0", GlobalVariablePublisher);
