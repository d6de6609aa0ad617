// Runs that several processes train together, started by hand.
#pragma once

#include "runs/support.hpp"
#include "runs/tensor_file.hpp"

#include <string>
#include <vector>

namespace ptp::test {

// What each rank of `ptprun ARGUMENTS` has given, by the ranks.
std::vector<ProcessResult> run_together(int count, const std::vector<std::string>& arguments);

// The same with arguments of their own for each rank.
std::vector<ProcessResult> run_each_together(
    const std::vector<std::vector<std::string>>& arguments);

// The name of this host, as errors have it.
std::string this_host();

// Trains experiment.toml of the folder into the run folder `name`.
std::vector<ProcessResult> run_together(const ExperimentFolder& folder, const std::string& name,
                                        int count, const std::vector<std::string>& more = {});

// Each rank has ended with success, and has printed nothing to its errors but `warning`.
void check_done(const std::vector<ProcessResult>& ranks, const std::string& warning = "");

// These options, and the folder of the plugin with components such as Widened.
std::vector<std::string> with_ranked_plugin(std::vector<std::string> options);

// Compares tensors of the same names: numbers that are computed to rounding, all others exactly.
void check_alike(const TensorFile& found, const TensorFile& wanted);

// The numbers of a column of a table of comma-separated values.
std::vector<double> column_of(const std::string& table, const std::string& column);

// The largest difference between the numbers of two columns, relative to those of the second;
// infinite where they have not as many.
double largest_difference(const std::vector<double>& left, const std::vector<double>& right);

}  // namespace ptp::test
