// The experiment behind the functions of <ptp/host.h>, and how they call its session.

#pragma once

#include <ptp/host.h>

#include "base/error.hpp"
#include "base/exit_code.hpp"
#include "host/session.hpp"

#include <exception>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace ptp::host {

// Strings as a C program reads them.
struct Texts {
    std::vector<std::string> strings;
    std::vector<const char*> pointers;

    void assign(std::vector<std::string> texts) {
        strings = std::move(texts);
        pointers.clear();
        for (const std::string& text : strings) {
            pointers.push_back(text.c_str());
        }
    }
};

}  // namespace ptp::host

struct ptp_experiment {
    ptp_experiment(ptp::host::Request request, ptp::host::SessionOptions options)
        : session(std::move(request), std::move(options)) {}

    std::string error;
    mutable std::string shown_error;  // as returned by ptp_experiment_error()
    std::vector<ptp::Problem> problems;
    std::vector<std::string> files;  // the problems' files
    std::vector<ptp_problem> listed;
    std::string run_folder;
    ptp::host::Texts strings;
    ptp::host::Texts statistics;
    std::vector<ptp::host::DescribedStream> described;
    std::vector<ptp_stream> streams;  // with the texts of `described`
    ptp::host::Session session;       // destroyed first
};

namespace ptp::host {

// Returns an error whose fix has the options of C in place of those of ptprun.
std::string in_c(std::string error);

// Lists the session's problems for ptp_experiment_problems().
void list_problems(ptp_experiment& experiment);

// Calls the session, and keeps the text of an error.
template <class Work>
ptp_result call(ptp_experiment* experiment, Work work) noexcept {
    if (experiment == nullptr) {
        return PTP_RESULT_MISUSE;
    }
    try {
        const engine::RunResult result = work(experiment->session);
        if (result.exit_code != kDone) {
            experiment->error = in_c(result.error);
        }
        return result.exit_code;
    } catch (const std::bad_alloc&) {
        experiment->error.clear();
        return PTP_RESULT_TRAINING;
    } catch (const RunError& error) {
        experiment->error = error.what();
        return error.code();
    } catch (const std::exception& error) {
        experiment->error = error.what();
        return PTP_RESULT_TRAINING;
    }
}

inline engine::RunResult refused(const char* text) {
    return {.exit_code = kMisuse, .error = text};
}

}  // namespace ptp::host
