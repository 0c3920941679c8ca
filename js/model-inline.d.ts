/** The same as `onnx-shape/model`, with the engine embedded: nothing is loaded at run time, whatever the bundler. */
export * from './model.js';
