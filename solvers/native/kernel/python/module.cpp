// The Python module. It has one class, `Kernel`, to which the files of this folder bind everything.
#include "python/bindings.hpp"

namespace nb = nanobind;

NB_MODULE(_kernel, m) {
    m.doc() = "The compiled kernel of the native engine.";
    mines::Scope kernel(m, "Kernel",
                        "Everything that is compiled. The class itself is the kernel.");
    mines::bind_analysis(kernel);
    mines::bind_batch(kernel);
    mines::bind_counting(kernel);
    mines::bind_sampling(kernel);
    mines::bind_games(kernel);
    mines::bind_generation(kernel);
}
