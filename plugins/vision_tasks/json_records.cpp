// Receives the events of nlohmann's SAX parser, and hands over one object after the other.

#include "json_records.hpp"

#include <nlohmann/json.hpp>
#include <ptp/error.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace {

struct CloseJson {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

// Returns "parse error at line 1, column 5: ..." without the library's number of the error.
std::string json_reason(const std::string& what) {
    const auto end = what.find("] ");
    return what.starts_with("[json.exception") && end != std::string::npos ? what.substr(end + 2)
                                                                           : what;
}

// Receives the parts of the file one by one, and keeps those of one object.
class RecordReader : public nlohmann::json_sax<nlohmann::json> {
public:
    RecordReader(const JsonSource& source, const std::function<void(JsonRecord&)>& use)
        : source_(source),
          use_(use),
          record_depth_(source.list.empty() ? 2 : 3),
          is_in_list_(source.list.empty()) {}

    [[nodiscard]] bool has_list() const { return has_list_ || source_.list.empty(); }
    [[nodiscard]] const std::string& problem() const { return problem_; }

    bool null() override { return true; }
    bool boolean(bool value) override { return set(value ? "true" : "false"); }
    bool number_integer(number_integer_t value) override { return set(std::to_string(value)); }
    bool number_unsigned(number_unsigned_t value) override { return set(std::to_string(value)); }
    bool number_float(number_float_t, const string_t& text) override { return set(text); }
    bool string(string_t& value) override { return set(std::move(value)); }
    bool binary(binary_t&) override { return true; }

    bool start_object(std::size_t) override {
        ++depth_;
        if (is_in_list_ && depth_ == record_depth_) {
            record_.key = outer_key_;
            record_.values.assign(source_.wanted.size(), std::nullopt);
            is_in_record_ = true;
        }
        return true;
    }
    bool end_object() override {
        if (is_in_list_ && depth_ == record_depth_) {
            use_(record_);
            ++record_.number;
            is_in_record_ = false;
        }
        --depth_;
        return true;
    }
    bool start_array(std::size_t) override {
        ++depth_;
        if (depth_ == 2 && !source_.list.empty() && outer_key_ == source_.list) {
            is_in_list_ = true;
            has_list_ = true;
        }
        return true;
    }
    bool end_array() override {
        --depth_;
        is_in_list_ = is_in_list_ && (source_.list.empty() || depth_ > 1);
        return true;
    }
    bool key(string_t& name) override {
        if (depth_ == 1) {
            outer_key_ = name;
        } else if (is_in_record_ && depth_ == record_depth_) {
            member_ = std::ranges::find(source_.wanted, name) - source_.wanted.begin();
        }
        return true;
    }
    bool parse_error(std::size_t, const std::string&,
                     const nlohmann::detail::exception& error) override {
        problem_ = json_reason(error.what());
        return false;
    }

private:
    bool set(std::string value) {
        if (is_in_record_ && depth_ == record_depth_ &&
            member_ < static_cast<std::ptrdiff_t>(source_.wanted.size())) {
            record_.values[static_cast<size_t>(member_)] = std::move(value);
        }
        return true;
    }

    const JsonSource& source_;
    const std::function<void(JsonRecord&)>& use_;
    int64_t record_depth_;
    bool is_in_list_;
    bool has_list_ = false;
    bool is_in_record_ = false;
    int64_t depth_ = 0;      // number of enclosing objects and arrays
    std::string outer_key_;  // the last one of the outermost object
    std::ptrdiff_t member_ = 0;
    JsonRecord record_;
    std::string problem_;
};

}  // namespace

void read_json_records(const JsonSource& source, const std::function<void(JsonRecord&)>& use) {
    if (!std::filesystem::exists(source.file)) {
        throw ptp::DataError(source.file, ": no such file; ", source.remedy);
    }
    const std::unique_ptr<std::FILE, CloseJson> file(std::fopen(source.file.c_str(), "rb"));
    if (file == nullptr) {
        throw ptp::DataError(source.file, ": cannot be opened: ", std::strerror(errno));
    }
    RecordReader reader(source, use);
    if (!nlohmann::json::sax_parse(file.get(), &reader)) {
        throw ptp::DataError(source.file, ": is not JSON: ", reader.problem());
    }
    if (!reader.has_list()) {
        throw ptp::DataError(source.file, ": has no list '", source.list, "'");
    }
}
