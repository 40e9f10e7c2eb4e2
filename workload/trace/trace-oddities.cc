// SPDX-License-Identifier: GPL-2.0-only
#include "workload/trace/trace-oddities.h"

#include "workload/trace/wire-text.h"

#include <fmt/format.h>

namespace nadi
{

namespace
{

/// What is said of an oddity.
struct OddityText
{
    const char* note = ""; ///< of many nodes, after their number; empty: a run says nothing
    Severity severity = Severity::Note;
    const char* finding = ""; ///< of one node, after its name
};

constexpr const char* SIZE_NOTE = "communication nodes have no comm_size: taken as 0";

// In the order of TraceOddity.
constexpr std::array<OddityText, static_cast<size_t>(TraceOddity::Count)> ODDITIES{
    {{"communication nodes are host calls (on the CPU, or without comm_type): they take their "
      "durations on the CPU",
      Severity::Note,
      "communicates on the CPU or without comm_type, so that it is taken as a call of the host, "
      "which takes its duration on the CPU; write is_cpu_op false and comm_type if it is more"},
     {SIZE_NOTE, Severity::Error, "has no comm_size, so that it moves nothing; write its size"},
     {SIZE_NOTE, Severity::Note, "has no comm_size; that of its send holds"},
     {"",
      Severity::Warning,
      "has a comm_size of 0, so that it moves nothing; write its size, or leave the node out"},
     {"nodes are of storage or unknown types: they take their durations on the CPU",
      Severity::Warning,
      "is of a storage or unknown type, so that it takes its duration on the CPU; write a type of "
      "the schema if it is more"},
     {"nodes have no type: they take their durations on the CPU",
      Severity::Warning,
      "has no type, so that it takes its duration on the CPU; write its type"},
     {"process_group:init nodes cannot be read: their groups are unknown",
      Severity::Warning,
      "defines process groups in a form that cannot be read; list them in a groups file"},
     {"collectives of all ranks have an involved_dim that leaves dimensions out: ignored, so that "
      "they cross all dimensions (write the ranks that take part as a group: pg_name and "
      "workload.groups)",
      Severity::Warning,
      "has an involved_dim that leaves dimensions out, but no group, so that it crosses all "
      "dimensions; write the ranks that take part as a group (pg_name)"},
     {"memory nodes have a duration but no size: they move nothing, and take the latency of the "
      "memory (write tensor_size)",
      Severity::Warning,
      "has a duration but no size, so that it moves nothing and takes the latency of the memory; "
      "write tensor_size"},
     {"durations of schema 0.0.1 have no unit: taken as us; ASTRA-sim of that time took them as "
      "ns, "
      "as system.compute: {scale: 0.001} does",
      Severity::Note,
      "has a duration of schema 0.0.1, which has no unit: it is taken as us; ASTRA-sim of that "
      "time "
      "took it as ns, as system.compute: {scale: 0.001} does"}}};

/// Two oddities of one note are one to a run.
void
AddNote(uint64_t count, const char* text, std::vector<TraceNote>& notes)
{
    if (count == 0 || *text == '\0')
    {
        return;
    }
    // Relies on oddities of one note standing next to each other in ODDITIES.
    if (!notes.empty() && notes.back().text == text)
    {
        notes.back().count += count;
    }
    else
    {
        notes.push_back({count, text});
    }
}

} // namespace

TraceOddities::TraceOddities(TraceListener& listener)
    : m_listener(listener)
{
}

void
TraceOddities::Tell(TraceOddity oddity, const NodeRecord& record)
{
    const auto index = static_cast<size_t>(oddity);
    ++m_counts[index];
    m_listener.OnOddity(ODDITIES[index].severity, ODDITIES[index].finding, record.id, record.name);
}

void
TraceOddities::TellName(const NodeRecord& record, std::string_view name)
{
    if (m_misspelt.Count(name))
    {
        RequireUtf8(name);
        m_listener.OnOddity(Severity::Warning,
                            fmt::format("has the attribute \"{}\", which means nothing here; did "
                                        "you mean {}?",
                                        name,
                                        m_misspelt.FindMeant(name)),
                            record.id,
                            record.name);
    }
}

void
TraceOddities::AppendNotes(std::vector<TraceNote>& notes) const
{
    for (size_t oddity = 0; oddity < ODDITIES.size(); ++oddity)
    {
        AddNote(m_counts[oddity], ODDITIES[oddity].note, notes);
    }
    // FindMeant remembers its answers, so this const function asks a finder of its own.
    MisspeltNames names;
    for (const auto& [name, count] : m_misspelt.Counts())
    {
        notes.push_back({count,
                         fmt::format("attributes \"{}\" mean nothing here: ignored (did you mean "
                                     "{}?)",
                                     name,
                                     names.FindMeant(name))});
    }
}

} // namespace nadi
