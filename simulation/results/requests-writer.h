// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/results/table.h"
#include "workload/serving/serving-results.h"

#include <filesystem>
#include <fstream>

namespace nadi
{

TableDescription DescribeRequestsTable();

/// Writes `requests.csv` while the run goes on, a row for each request in the order of their ends,
/// so that memory does not grow with them.
class RequestsWriter : public RequestObserver
{
  public:
    /// Throws UsageError when the file cannot be written.
    explicit RequestsWriter(const std::filesystem::path& file);

    void OnRequestEnded(const RequestRecord& request) override;

    /// No request ends any more. Throws UsageError when a row could not be written.
    void Close();

  private:
    std::filesystem::path m_path;
    std::ofstream m_file;
};

} // namespace nadi
