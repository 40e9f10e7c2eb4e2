// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/table-lines.h"
#include "workload/serving/request-trace.h"
#include "workload/serving/trace-clock.h"

#include <optional>
#include <string_view>

namespace nadi
{

/// A form of recorded requests as CSV: its header, and the columns that are read.
struct CsvRequestForm
{
    const char* name;
    const char* header;
    const char* time;
    const char* input;
    const char* output;
    bool isDate = false;     ///< times are dates; the first one is 0
    bool skipsEmpty = false; ///< answers without tokens are failures, and left out
};

/// The form with that header; none: there is none.
const CsvRequestForm* FindCsvRequestForm(std::string_view header);

/// Reads such a file, of which the header was read.
class CsvRequests : public RequestSource
{
  public:
    CsvRequests(const RequestTraceOptions& options, const CsvRequestForm& form, TableLines lines);

    std::optional<Request> Next() override;

  private:
    double TimeOf(std::string_view text);

    RequestTraceOptions m_options;
    const CsvRequestForm& m_form;
    TableLines m_lines;
    TraceClock m_clock;
    size_t m_columns;
    size_t m_time;
    size_t m_input;
    size_t m_output;
    std::optional<TraceDate> m_firstDate;
    uint64_t m_given = 0;
};

} // namespace nadi
