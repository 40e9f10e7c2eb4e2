// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/conversion/kernel-scopes.h"

#include "workload/tools/conversion/pytorch-call.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace nadi
{

namespace
{

/// A range or module around an event.
struct ScopeAround
{
    int64_t startNs = 0;
    int64_t endNs = 0;
    const std::string* name = nullptr;
};

bool
IsMarkedRange(const KinetoEvent& event)
{
    return event.kind == KinetoEvent::Kind::Annotation &&
           !event.name.starts_with("ProfilerStep#") && !IsCommunicationKernel(event.name);
}

/// Ranges and modules come from different lists, so only their times tell which lies within which.
std::vector<std::string>
NamesFromOutside(std::vector<ScopeAround> scopes)
{
    std::ranges::stable_sort(scopes,
                             {},
                             [](const ScopeAround& scope)
                             { return std::pair(scope.startNs, -scope.endNs); });
    std::vector<std::string> names;
    for (const ScopeAround& scope : scopes)
    {
        names.push_back(*scope.name);
    }
    return names;
}

} // namespace

KernelScopes::KernelScopes(const KinetoTrace& trace, const KinetoNesting& nesting)
    : m_trace(trace)
    , m_nesting(nesting)
{
    NestModules();
    FindForwardOperators();
}

/// Frames of Python are no events of KinetoTrace, so they are nested here, in the way of
/// KinetoNesting.
void
KernelScopes::NestModules()
{
    for (size_t index = 0; index < m_trace.modules.size(); ++index)
    {
        m_threads[m_trace.modules[index].thread].modules.push_back(index);
    }
    for (auto& [number, thread] : m_threads)
    {
        std::ranges::stable_sort(thread.modules,
                                 {},
                                 [this](size_t index)
                                 {
                                     const KinetoModule& module = m_trace.modules[index];
                                     return std::pair(module.startNs, -module.endNs);
                                 });
        std::vector<size_t> open;
        for (size_t place = 0; place < thread.modules.size(); ++place)
        {
            const int64_t start = m_trace.modules[thread.modules[place]].startNs;
            while (!open.empty() && m_trace.modules[thread.modules[open.back()]].endNs <= start)
            {
                open.pop_back();
            }
            thread.parent.push_back(open.empty() ? NONE : open.back());
            open.push_back(place);
        }
    }
}

// Sequence numbers are counted by thread, and a step of the engine names no thread of Kineto's. So
// the thread counts that has most of them, which is the one of the program.
void
KernelScopes::FindForwardOperators()
{
    std::map<int64_t, std::vector<size_t>> threads;
    for (size_t index = 0; index < m_trace.events.size(); ++index)
    {
        const KinetoEvent& event = m_trace.events[index];
        if (event.sequence && !event.isBackward)
        {
            threads[event.thread].push_back(index);
        }
    }
    const auto most = std::ranges::max_element(
        threads, {}, [](const auto& thread) { return thread.second.size(); });
    if (most == threads.end())
    {
        return;
    }
    for (const size_t index : most->second)
    {
        // Of several with one number the last one has the gradient.
        const auto [known, isNew] =
            m_forwardOfSequence.try_emplace(*m_trace.events[index].sequence, index);
        if (m_trace.events[index].startNs > m_trace.events[known->second].startNs)
        {
            known->second = index;
        }
    }
}

/// The place of the innermost module that runs at an instant, or NONE.
size_t
KernelScopes::FindModule(const ThreadModules& thread, int64_t ns) const
{
    // The last module that has begun is the innermost one, or it has ended. Then the innermost one
    // that still runs is around it.
    const auto after = std::ranges::upper_bound(
        thread.modules, ns, {}, [this](size_t index) { return m_trace.modules[index].startNs; });
    size_t place = after == thread.modules.begin()
                       ? NONE
                       : static_cast<size_t>(after - thread.modules.begin()) - 1;
    while (place != NONE && m_trace.modules[thread.modules[place]].endNs <= ns)
    {
        place = thread.parent[place];
    }
    return place;
}

/// Adds the scopes around the event, the outermost first.
///
/// Returns the operator of the forward pass whose gradient is computed around the event, or NONE.
/// It started before the step of the backward pass that computes it, so a chain of them ends.
size_t
KernelScopes::AddAround(size_t event, std::vector<std::string>& names) const
{
    std::vector<ScopeAround> scopes;
    const KinetoEvent* step = nullptr; // the outermost operator of a backward pass
    for (size_t at = event; at != KinetoNesting::NONE; at = m_nesting.parent[at])
    {
        const KinetoEvent& around = m_trace.events[at];
        // The way leads from the inside out, so the outermost one remains: the step of the engine,
        // which has the sequence number.
        step = around.isBackward ? &around : step;
        if (IsMarkedRange(around))
        {
            scopes.push_back({around.startNs, around.endNs, &around.name});
        }
    }
    const KinetoEvent& start = m_trace.events[event];
    if (const auto thread = m_threads.find(start.thread); thread != m_threads.end())
    {
        for (size_t place = FindModule(thread->second, start.startNs); place != NONE;
             place = thread->second.parent[place])
        {
            const KinetoModule& module = m_trace.modules[thread->second.modules[place]];
            scopes.push_back({module.startNs, module.endNs, &module.name});
        }
    }
    if (step != nullptr)
    {
        scopes.push_back({step->startNs, step->endNs, &step->name});
    }
    std::ranges::move(NamesFromOutside(std::move(scopes)), std::back_inserter(names));
    const auto forward = step != nullptr && step->sequence
                             ? m_forwardOfSequence.find(*step->sequence)
                             : m_forwardOfSequence.end();
    const bool isKnown = forward != m_forwardOfSequence.end() &&
                         m_trace.events[forward->second].startNs < step->startNs;
    return isKnown ? forward->second : NONE;
}

/// Each turn adds the scopes of one operator and goes on to the operator of the forward pass. That
/// one began earlier, so the loop ends.
std::vector<std::string>
KernelScopes::Of(size_t event) const
{
    std::vector<std::string> names;
    while (event != NONE)
    {
        event = AddAround(event, names);
    }
    return names;
}

} // namespace nadi
