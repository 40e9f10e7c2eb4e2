// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/apply-kernel-edits.h"

#include "workload/what-if/kernel-edits.h"
#include "workload/what-if/kernel-times/accelerator-edit.h"
#include "workload/what-if/kernel-times/fuse-edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

namespace nadi
{

void
ApplyKernelEdits(const WhatIf& wish, KernelTimer& timer, WhatIfJob& result)
{
    if (wish.removed)
    {
        // Asked before anything is taken out: afterwards such a pattern would fit no kernel, and
        // the message would not say why.
        for (const auto& [pattern, factor] : wish.speeds)
        {
            CheckIsNotRemoved(result.job, "speed", pattern, *wish.removed);
        }
        for (const std::string& pattern : wish.fused)
        {
            CheckIsNotRemoved(result.job, "fuse", pattern, *wish.removed);
        }
        result.job = RemoveKernels(std::move(result.job), *wish.removed);
        result.changes.push_back(
            fmt::format("Kernels whose names fit \"{}\" are taken out", *wish.removed));
    }
    for (const std::string& pattern : wish.fused)
    {
        FuseEdit edit = FuseNeighbours(std::move(result.job), pattern, timer);
        result.job = std::move(edit.job);
        std::ranges::move(edit.notes, std::back_inserter(result.changes));
    }
    if (wish.gpu)
    {
        AcceleratorEdit edit = ChangeAccelerator(std::move(result.job), *wish.gpu, timer);
        result.job = std::move(edit.job);
        std::ranges::move(edit.notes, std::back_inserter(result.changes));
    }
    for (const auto& [pattern, factor] : wish.speeds)
    {
        SpeedEdit edit = ChangeSpeed(std::move(result.job), pattern, factor);
        result.job = std::move(edit.job);
        std::ranges::move(edit.notes, std::back_inserter(result.changes));
    }
    // Speeds change no names, so kernels that fit several patterns can be counted behind all of
    // them.
    if (std::optional<std::string> note = NoteSeveralSpeeds(result.job, wish.speeds))
    {
        result.notes.push_back(std::move(*note));
    }
}

} // namespace nadi
