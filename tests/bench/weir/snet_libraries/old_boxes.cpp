// As if it had been compiled for another version of weir.
extern "C" {
extern const char weir_boxes_version[];
const char weir_boxes_version[] = "99.1.0";
void weir_boxes(void*) {}
}
