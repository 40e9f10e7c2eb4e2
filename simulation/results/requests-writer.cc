// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/results/requests-writer.h"

#include "common/usage-error.h"
#include "simulation/results/text-format.h"

namespace nadi
{

namespace
{

const Table<RequestRecord> REQUESTS{
    "requests.csv",
    {{"id",
      ColumnKind::Identity,
      "",
      "number of the request, from 0 in the order of arrival",
      [](const RequestRecord& row) { return std::to_string(row.id); }},
     {"instance",
      ColumnKind::Identity,
      "",
      "the instance that computed the prompt: its role, and its number among all instances",
      [](const RequestRecord& row) { return CsvText(row.instance); }},
     {"arrival_ns",
      ColumnKind::Quantity,
      "ns",
      "when it arrived",
      [](const RequestRecord& row) { return NsText(row.arrival); }},
     {"start_ns",
      ColumnKind::Quantity,
      "ns",
      "when the first iteration began that computed a token of it",
      [](const RequestRecord& row) { return NsText(row.start); }},
     {"first_token_ns",
      ColumnKind::Quantity,
      "ns",
      "end of the iteration that completed its prompt",
      [](const RequestRecord& row) { return NsText(row.firstToken); }},
     {"end_ns",
      ColumnKind::Quantity,
      "ns",
      "when its last token was there",
      [](const RequestRecord& row) { return NsText(row.end); }},
     {"input",
      ColumnKind::Quantity,
      "",
      "tokens of its prompt",
      [](const RequestRecord& row) { return std::to_string(row.input); }},
     {"output",
      ColumnKind::Quantity,
      "",
      "tokens of its answer",
      [](const RequestRecord& row) { return std::to_string(row.output); }},
     {"ttft_ns",
      ColumnKind::Quantity,
      "ns",
      "time to the first token: `first_token_ns` - `arrival_ns`, queueing included",
      [](const RequestRecord& row) { return NsText(row.Ttft()); }},
     {"tpot_ns",
      ColumnKind::Quantity,
      "ns",
      "time for each further token: (`end_ns` - `first_token_ns`) / (`output` - 1); 0 for one "
      "token",
      [](const RequestRecord& row) { return NsText(row.Tpot()); }},
     {"queueing_ns",
      ColumnKind::Quantity,
      "ns",
      "`start_ns` - `arrival_ns`",
      [](const RequestRecord& row) { return NsText(row.Queueing()); }},
     {"prefill_ns",
      ColumnKind::Quantity,
      "ns",
      "`first_token_ns` - `start_ns`; where the prompt was computed again after a preemption, that "
      "too",
      [](const RequestRecord& row) { return NsText(row.Prefill()); }},
     {"transfer_ns",
      ColumnKind::Quantity,
      "ns",
      "from `first_token_ns` until its keys and values were at the decode instance, the wait for "
      "room there included; 0 where one instance does both, or where they were there before the "
      "first token",
      [](const RequestRecord& row) { return NsText(row.transfer); }},
     {"preemptions",
      ColumnKind::Quantity,
      "",
      "how often it lost its KV blocks and was computed again",
      [](const RequestRecord& row) { return std::to_string(row.preemptions); }}}};

} // namespace

TableDescription
DescribeRequestsTable()
{
    return REQUESTS.Describe();
}

RequestsWriter::RequestsWriter(const std::filesystem::path& file)
    : m_path(file)
    , m_file(file)
{
    if (!m_file)
    {
        throw UsageError("cannot write " + file.string());
    }
    REQUESTS.WriteHeader(m_file);
}

/// Requests come in the order of their ends, and ids count arrivals. So the column `id` need not
/// ascend.
void
RequestsWriter::OnRequestEnded(const RequestRecord& request)
{
    REQUESTS.WriteRow(request, m_file);
}

void
RequestsWriter::Close()
{
    m_file.close();
    if (!m_file)
    {
        throw UsageError("cannot write " + m_path.string() + ": the disk may be full");
    }
}

} // namespace nadi
