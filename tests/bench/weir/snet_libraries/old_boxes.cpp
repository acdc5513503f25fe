// As if it had been compiled for another version of weir.
extern "C" {
[[gnu::visibility("default")]] extern const char weir_boxes_version[];
const char weir_boxes_version[] = "99.1.0";
[[gnu::visibility("default")]] void weir_boxes(void*) {}
}
