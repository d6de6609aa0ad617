// How a run shows itself: options that all commands which run the engine have.

#pragma once

#include "engine/request.hpp"

#include <boost/program_options.hpp>

namespace ptp::ptprun {

void add_console_options(boost::program_options::options_description& options);

// For the commands that train.
void add_json_option(boost::program_options::options_description& options);

void add_show_option(boost::program_options::options_description& options);

void add_watch_option(boost::program_options::options_description& options);

void add_paused_option(boost::program_options::options_description& options);

// Throws boost::program_options::error for options that exclude each other.
void check_console_options(const boost::program_options::variables_map& map);

// Sets what the options and the terminal say.
void apply_console_options(const boost::program_options::variables_map& map,
                           engine::RunRequest& request);
void apply_console_options(const boost::program_options::variables_map& map,
                           engine::ProcessRequest& request);
// Of a table that may go to the standard output all else goes to the standard error.
void apply_console_options(const boost::program_options::variables_map& map,
                           engine::PredictRequest& request);

}  // namespace ptp::ptprun
