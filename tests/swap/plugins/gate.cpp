// A viewer that lets one episode pass for each byte of a file.

#include <ptp/plugin.hpp>

#include <fstream>

class Gate {
public:
    static constexpr ptp_kind kind = PTP_VIEWER;
    static constexpr const char* name = "Gate";
    static constexpr const char* summary = "Waits for a byte of a file before each episode";
    static constexpr std::array ports{ptp::input("targets", PTP_INTEGER, "B", "Anything")};

    struct Config {
        std::string file;

        static constexpr auto settings() {
            return std::tuple{ptp::setting("file", &Config::file,
                                           {.help = "A file without end, or a named pipe"})};
        }
    };

    explicit Gate(const Config& config) { file_.open(config.file, std::ios::binary); }

    void forward(const ptp::Tensor&, const ptp::Step& step) {
        if (step.is_training() && file_.get() == std::ifstream::traits_type::eof()) {
            throw ptp::DataError("the gate has fallen shut");
        }
    }

private:
    std::ifstream file_;
};

PTP_PLUGIN("gate", "0.1.0", Gate);
