// StreamFileExporter: writes streams to files that other programs read.

#include "export_file.hpp"
#include "missing_stream.hpp"
#include "npy.hpp"
#include "value_text.hpp"

#include <result_files.hpp>

#include <ptp/component.hpp>

#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

class StreamFileExporter {
public:
    static constexpr ptp_kind kind = PTP_PUBLISHER;
    static constexpr const char* name = "StreamFileExporter";
    static constexpr const char* summary = "Writes streams to files, sample by sample";
    static constexpr const char* description =
        "Files are in the folder `exports` of the run's. csv: a line for each sample with the "
        "step_columns and a cell for each stream, quoted where it must be (RFC 4180); "
        "a tensor of several numbers and a list of words are written as in JSON. json_lines: the "
        "same as a JSON object in each line (jsonlines.org); what is not a finite number becomes "
        "\"nan\", \"inf\" or \"-inf\". A file with the streams alone, such as a submission to a "
        "challenge, has step_columns = [] and header = false. npy: a NumPy file for each stream, NAME.STREAM.npy, of "
        "samples that have all the same shape; numpy.load reads it at any moment.\n"
        "Numbers have all their bits. What a batch adds is in the files before the next begins; a "
        "file that cannot be written ends the run. A resumed run cuts them to what its checkpoint "
        "knows and continues, so that no sample is in them twice. `phases` lists the sections in "
        "which it runs. With skip_missing_streams a section that lacks one of the streams is "
        "written without it: its cells are empty, in JSON null, and its NumPy file gets no rows; a "
        "section without any of them is not written. Add \"indices\" to input_streams to know the samples again.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_ANY, "", "The streams to write")
            .streams_from("input_streams")
            .when("!skip_missing_streams"),
        ptp::input("inputs", PTP_ANY, "", "The streams to write, as far as there are any")
            .streams_from("input_streams")
            .optional()
            .when("skip_missing_streams")};

    enum class Format { kCsv, kJsonLines, kNpy };
    enum class StepColumn { kSection, kEpoch, kEpisode };
    static constexpr const char* kStepColumns = "section|epoch|episode";

    struct Config {
        std::vector<std::string> input_streams;
        std::string filename;
        Format format = Format::kCsv;
        std::vector<StepColumn> step_columns = {StepColumn::kSection, StepColumn::kEpoch,
                                                StepColumn::kEpisode};
        std::string separator = ",";
        bool header = true;
        bool separator_line = false;
        bool skip_missing_streams = false;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("input_streams", &Config::input_streams,
                             {.help = "Names of the streams to write, in the order of the cells",
                              .length = "[1, inf)",
                              .is_required = true,
                              .takes_list_or_one = true}),
                ptp::setting("filename", &Config::filename,
                             {.help = "Of the file; if empty, the component's name with .csv, "
                                      ".jsonl or, for npy, nothing",
                              .is_output_file = true}),
                ptp::setting("format", &Config::format,
                             {.help = "How they are written", .choices = "csv|json_lines|npy"}),
                ptp::setting("step_columns", &Config::step_columns,
                             {.help = "Of csv and json_lines: what begins each line, before the "
                                      "streams; [] for the streams alone",
                              .choices = kStepColumns}),
                ptp::setting("separator", &Config::separator,
                             {.help = "Of csv: one character between cells"}),
                ptp::setting("header", &Config::header,
                             {.help = "Of csv: whether the first line names the cells"}),
                ptp::setting("separator_line", &Config::separator_line,
                             {.help = "Of csv: whether the first line is sep= with the separator, "
                                      "which some spreadsheets need"}),
                ptp::setting("skip_missing_streams", &Config::skip_missing_streams,
                             ptp::support::kSkipMissingText)};
        }
    };

    StreamFileExporter(const Config& config, ptp::Setup& setup) : config_(config), setup_(setup) {
        check();
        const std::filesystem::path run = setup.run_folder();
        const std::filesystem::path folder = "exports";
        const std::string own = config.filename.empty() ? setup.name() : config.filename;
        if (config.format == Format::kNpy) {
            for (const std::string& stream : config.input_streams) {
                std::string name = own + ".";
                name += stream + ".npy";
                files_.push_back({ExportFile(run, folder / name)});
            }
        } else {
            const char* ending = config.format == Format::kCsv ? ".csv" : ".jsonl";
            files_.push_back(
                {ExportFile(run, folder / (config.filename.empty() ? own + ending : own))});
        }
    }

    void forward(const ptp::List<ptp::Value>& all, const ptp::List<ptp::Value>& some,
                 const ptp::Step& step) {
        const ptp::List<ptp::Value>& inputs = config_.skip_missing_streams ? some : all;
        if (config_.skip_missing_streams && !has_any(inputs, step)) {
            return;
        }
        if (config_.format == Format::kNpy) {
            for (std::size_t i = 0; i < inputs.size(); ++i) {
                if (!config_.skip_missing_streams || !ptp::support::is_missing(inputs[i])) {
                    write_rows(files_[i], inputs[i], step.batch_size());
                }
            }
        } else {
            write_lines(inputs, step);
        }
    }

    static constexpr uint32_t state_version = 1;
    ptp::Data export_state() {
        ptp::Data::List saved;
        for (Written& written : files_) {
            written.file.sync();
            // A state has numbers of 63 bits and a sign.
            saved.push_back(ptp::Data::List{written.file.size(), written.rows, written.shape,
                                            static_cast<int64_t>(written.file.hash()),
                                            written.file.header_size()});
        }
        return saved;
    }
    void import_state(uint32_t, const ptp::Data& state) {
        const ptp::Data::List& saved = state.as_list();
        for (std::size_t i = 0; i < files_.size(); ++i) {
            const ptp::Data::List& of_one = saved.at(i).as_list();
            const bool has_hash = of_one.size() > 4;  // older checkpoints do not
            go_on(files_[i],
                  {.size = static_cast<uint64_t>(of_one.at(0).as_integer()),
                   .header_size = has_hash ? static_cast<uint64_t>(of_one[4].as_integer()) : 0,
                   .hash = has_hash ? std::optional(static_cast<uint64_t>(of_one[3].as_integer()))
                                    : std::nullopt});
            if (files_[i].file.size() > 0) {
                files_[i].rows = static_cast<uint64_t>(of_one.at(1).as_integer());
                files_[i].shape = of_one.at(2).as_text();
            }
        }
    }

private:
    void check() const {
        const std::string& file = config_.filename;
        if (file.find('/') != std::string::npos || file == "." || file == "..") {
            throw ptp::SettingError("filename",
                                    "must be a name, not a path; files are in the run's folder");
        }
        if (config_.separator.size() != 1 ||
            config_.separator.find_first_of("\"\r\n") != std::string::npos) {
            throw ptp::SettingError("separator",
                                    "must be one character, no quote and no end of a line");
        }
        check_names();
        if (config_.format == Format::kNpy && config_.step_columns != Config{}.step_columns) {
            throw ptp::ConfigError("step_columns: format = \"npy\" has none");
        }
        refuse_unless_csv(config_.separator != Config{}.separator, "separator");
        refuse_unless_csv(config_.header != Config{}.header, "header");
        refuse_unless_csv(config_.separator_line != Config{}.separator_line, "separator_line");
        for (const ptp::Binding& input : setup_.inputs("inputs")) {
            if (config_.format == Format::kNpy && input.element > PTP_BYTE) {
                throw ptp::ConfigError("format = \"npy\": the stream '", input.stream,
                                       "' has no tensors of one shape; csv and json_lines take it");
            }
        }
    }

    // A stream would otherwise have the file, the cell or the key of another.
    void check_names() const {
        std::set<std::string_view> own;
        for (const StepColumn column : config_.step_columns) {
            if (!own.insert(column_name(column)).second) {
                throw ptp::ConfigError("step_columns: '", column_name(column), "' is listed twice");
            }
        }
        std::set<std::string_view> seen;
        for (const std::string& stream : config_.input_streams) {
            if (config_.format != Format::kNpy && own.contains(stream)) {
                throw ptp::ConfigError("input_streams: '", stream,
                                       "': each line has a cell of this name already; leave it out "
                                       "of step_columns, or give the stream another name");
            }
            if (!seen.insert(stream).second) {
                throw ptp::ConfigError("input_streams: '", stream, "' is listed twice");
            }
        }
    }

    void refuse_unless_csv(bool is_given, const char* setting) const {
        if (is_given && config_.format != Format::kCsv) {
            throw ptp::ConfigError(setting, ": only format = \"csv\" has it");
        }
    }

    // The last two only of a NumPy file.
    struct Written {
        ExportFile file;
        uint64_t rows = 0;
        std::string shape = {};  // of a sample
    };

    void go_on(Written& written, const ExportFile::Saved& saved) const {
        if (saved.size > 0 && !written.file.go_on_after(saved)) {
            setup_.log_warning(written.file.path().string() + " is gone; a new one begins");
        }
    }

    // Returns whether a stream has a value in this batch; streams without one are logged.
    bool has_any(const ptp::List<ptp::Value>& inputs, const ptp::Step& step) {
        bool has_one = false;
        for (std::size_t i = 0; step.batch_size() > 0 && i < inputs.size(); ++i) {
            const bool is_missing = ptp::support::is_missing(inputs[i]);
            has_one = has_one || !is_missing;
            if (is_missing) {
                missing_.log(setup_, step.section(), inputs[i].stream());
            }
        }
        return has_one;
    }

    void write_lines(const ptp::List<ptp::Value>& inputs, const ptp::Step& step) {
        std::deque<ptp::Value> values;
        std::vector<BatchText> texts;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            texts.emplace_back(values.emplace_back(inputs[i]), step.batch_size());
        }
        const bool is_csv = config_.format == Format::kCsv;
        std::string lines = is_csv && files_[0].file.size() == 0 ? csv_header() : "";
        for (uint64_t sample = 0; sample < step.batch_size(); ++sample) {
            lines += is_csv ? csv_line(texts, step, sample) : json_line(texts, step, sample);
        }
        files_[0].file.append(lines);
    }

    std::string csv_header() const {
        std::string text = config_.separator_line ? "sep=" + config_.separator + "\n" : "";
        if (config_.header) {
            std::vector<std::string> cells;
            for (const StepColumn column : config_.step_columns) {
                cells.emplace_back(column_name(column));
            }
            cells.insert(cells.end(), config_.input_streams.begin(), config_.input_streams.end());
            text += csv_line(cells);
        }
        return text;
    }

    static std::string_view column_name(StepColumn column) {
        return ptp::detail::choice_name(kStepColumns, static_cast<int64_t>(column));
    }

    static std::string column_text(StepColumn column, const ptp::Step& step) {
        return column == StepColumn::kSection ? std::string(step.section())
               : column == StepColumn::kEpoch ? std::to_string(step.epoch() + 1)
                                              : std::to_string(step.episode());
    }

    std::string csv_line(const std::vector<std::string>& cells) const {
        std::string line;
        for (const std::string& cell : cells) {
            line += ptp::support::csv_cell(cell, config_.separator[0]) + config_.separator;
        }
        line.back() = '\n';  // there is at least one stream
        return line;
    }

    std::string csv_line(const std::vector<BatchText>& texts, const ptp::Step& step,
                         uint64_t sample) const {
        std::vector<std::string> cells;
        for (const StepColumn column : config_.step_columns) {
            cells.push_back(column_text(column, step));
        }
        for (const BatchText& text : texts) {
            cells.push_back(text.plain(sample));
        }
        return csv_line(cells);
    }

    std::string json_line(const std::vector<BatchText>& texts, const ptp::Step& step,
                          uint64_t sample) const {
        std::string line;
        const auto add = [&line](std::string_view name, const std::string& value) {
            line += (line.empty() ? "{" : ",") + json_text(name) + ":" + value;
        };
        for (const StepColumn column : config_.step_columns) {
            const std::string text = column_text(column, step);
            add(column_name(column), column == StepColumn::kSection ? json_text(text) : text);
        }
        for (std::size_t i = 0; i < texts.size(); ++i) {
            add(config_.input_streams[i], texts[i].json(sample));
        }
        return line + "}\n";
    }

    // The values first, then the header that counts them: a reader never finds too few.
    static void write_rows(Written& written, const ptp::Value& value, uint64_t batch_size) {
        const at::Tensor rows = npy_values(value.tensor());
        if (rows.dim() == 0 || static_cast<uint64_t>(rows.size(0)) != batch_size) {
            throw ptp::DataError("format = \"npy\": the stream '", value.stream(),
                                 "' has no value for each sample; csv and json_lines take it");
        }
        const std::string shape = ptp::Data(rows.sizes().slice(1).vec()).toml();
        if (written.file.size() == 0) {
            written = {std::move(written.file), 0, shape};
            written.file.begin(npy_header(rows, 0));
        } else if (written.shape != shape) {
            throw ptp::DataError("format = \"npy\": a sample of the stream '", value.stream(),
                                 "' has the shape ", shape, ", those before have ", written.shape);
        }
        written.file.append({static_cast<const char*>(rows.data_ptr()), rows.nbytes()});
        written.rows += batch_size;
        written.file.replace_header(npy_header(rows, written.rows));
    }

    Config config_;
    ptp::Setup& setup_;
    std::vector<Written> files_;  // one, or one for each stream
    ptp::support::MissingStreams missing_;
};

template const ptp_component_info& ptp::component<StreamFileExporter>();
